#include "analysis/judge/explained.h"

#include <algorithm>

namespace lockstep::analysis {

bool is_slow_path(const Finding& finding) {
  return std::holds_alternative<PathFacts>(finding.facts);
}

void drop_explained(std::vector<Finding>* findings) {
  const auto explains = [](const Finding& one) {
    return one.kind == FindingKind::MachineOverloaded ||
           std::holds_alternative<StallFacts>(one.facts) || is_slow_path(one);
  };
  if (std::none_of(findings->begin(), findings->end(), explains)) return;
  const auto is_slower = [](const Finding& one) {
    return one.kind == FindingKind::SlowerThanExpected;
  };
  findings->erase(std::remove_if(findings->begin(), findings->end(), is_slower), findings->end());
}

}  // namespace lockstep::analysis
