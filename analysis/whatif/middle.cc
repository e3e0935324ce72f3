#include "analysis/whatif/middle.h"

#include <algorithm>
#include <cmath>

#include "analysis/tables/tables.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr double kReference = 0.35;
constexpr size_t kFewest = 8;
// So many times its own inexactness an excess must be.
constexpr double kTimesError = 4;
constexpr int64_t kLeastNs = 3'000;

Middle middle_of_known(std::vector<int64_t> values) {
  values.erase(std::remove(values.begin(), values.end(), kNoTime), values.end());
  Middle middle;
  middle.count = values.size();
  if (values.empty()) return middle;
  middle.ns = quantile(&values, 0.5);
  const int64_t spread = quantile(&values, 0.75) - quantile(&values, 0.25);
  middle.error_ns = static_cast<int64_t>(static_cast<double>(spread) /
                                         std::sqrt(static_cast<double>(middle.count)));
  return middle;
}

}  // namespace

bool Middle::known() const { return count >= kFewest; }

Middle middle_of(const std::vector<int64_t>& values) { return middle_of_known(values); }

Middle middle_of(const std::vector<int64_t>& values, const std::vector<uint32_t>& chosen) {
  std::vector<int64_t> some;
  some.reserve(chosen.size());
  for (const uint32_t i : chosen) {
    if (i < values.size()) some.push_back(values[i]);
  }
  return middle_of_known(std::move(some));
}

bool stands_out(const Middle& middle, int64_t usual_ns, int64_t least_ns) {
  return middle.known() &&
         middle.ns - usual_ns >=
             std::max({least_ns, kLeastNs,
                       static_cast<int64_t>(kTimesError * static_cast<double>(middle.error_ns))});
}

int64_t reference_of(std::vector<int64_t> values) { return quantile(&values, kReference); }

}  // namespace lockstep::analysis
