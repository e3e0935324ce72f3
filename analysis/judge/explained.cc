#include "analysis/judge/explained.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// Beside a hang, what costs less of the run's time is no finding: most of it is noise, or hidden by calls that run ahead.
constexpr double kLeastBesideHang = 0.05;
// ... or of the time that it has hung: of a job that hangs as it starts, what its first moments cost matters to nobody.
constexpr double kLeastOfHang = 0.0025;

}  // namespace

bool is_slow_path(const Finding& finding) {
  return std::holds_alternative<PathFacts>(finding.facts);
}

void drop_explained(std::vector<Finding>* findings) {
  const auto stands_still = [](const Finding& one) {
    return std::holds_alternative<StallFacts>(one.facts);
  };
  const auto makes_slower = [&](const Finding& one) {
    return one.kind == FindingKind::MachineOverloaded || stands_still(one) || is_slow_path(one);
  };
  double hung_s = 0;
  for (const Finding& one : *findings)
    if (stands_still(one)) hung_s = std::max(hung_s, one.since_s);
  const bool hangs = std::any_of(findings->begin(), findings->end(), stands_still);
  const bool slower = std::any_of(findings->begin(), findings->end(), makes_slower);
  const bool others = std::any_of(findings->begin(), findings->end(), [](const Finding& one) {
    return one.kind != FindingKind::SlowerThanExpected;
  });
  const auto is_explained = [&](const Finding& one) {
    const auto* late = std::get_if<LateFacts>(&one.facts);
    const bool once = late != nullptr && late->pattern.when == WhenLate::Once;
    const auto* slow = std::get_if<SlowerFacts>(&one.facts);
    const double share = cost_share(one);
    const bool trifle =
        share >= 0 && (share < kLeastBesideHang || one.since_s < kLeastOfHang * hung_s);
    // What makes a rank late may hold its threads up within an operation as well.
    return (slow != nullptr && (slower || (others && slow->slower.still))) ||
           (hangs && (once || trifle));
  };
  findings->erase(std::remove_if(findings->begin(), findings->end(), is_explained),
                  findings->end());
}

}  // namespace lockstep::analysis
