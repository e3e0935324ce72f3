#include "analysis/transfers/middle.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/tables/tables.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr double kReference = 0.35, kReferenceOfFew = 0.1;
// So many times its own inexactness an excess must be.
constexpr double kTimesError = 4;
constexpr int64_t kLeastNs = 3'000;
// Ranks that start within this part of an operation's time of each other start together.
constexpr double kTogether = 0.05;
// So many times what chance does to the number of those below the middle; neighbours that repeat each other
// are looked for in stretches up to this long, where there are so many of them.
constexpr double kTimesChance = 3.5;
constexpr size_t kLongestStretch = 16, kFewestStretches = 7;

// As many of them as tell something new. What befalls several in a row puts these on one side of the
// middle, so that stretches scatter by more than chance.
double independent_of(const std::vector<int64_t>& values, int64_t middle_ns) {
  const auto count = static_cast<double>(values.size());
  const auto below = [&](size_t i) { return values[i] < middle_ns ? 1.0 : 0.0; };
  double share = 0;
  for (size_t i = 0; i < values.size(); ++i) share += below(i) / count;
  if (share == 0) return count;
  const size_t longest = std::min(kLongestStretch, values.size() / kFewestStretches);
  double repeated = 1;
  for (size_t length = 2; length <= longest; ++length) {
    double squares = 0;
    const size_t stretches = values.size() / length;
    for (size_t stretch = 0; stretch < stretches; ++stretch) {
      double sum = 0;
      for (size_t i = stretch * length; i < (stretch + 1) * length; ++i) sum += below(i) - share;
      squares += sum * sum;
    }
    const double by_chance = share * (1 - share) * static_cast<double>(stretches * length);
    repeated = std::max(repeated, squares / by_chance);
  }
  return count / repeated;
}

Middle middle_of_known(std::vector<int64_t> values) {
  values.erase(std::remove(values.begin(), values.end(), kNoTime), values.end());
  Middle middle;
  middle.count = values.size();
  if (values.empty()) return middle;
  middle.ns = median_of(values);
  const double scatter = kTimesChance / 2 / std::sqrt(independent_of(values, middle.ns));
  std::sort(values.begin(), values.end());
  const auto lowest =
      static_cast<size_t>(std::max(0.0, 0.5 - scatter) * static_cast<double>(values.size()));
  middle.at_least_ns = values[lowest];
  middle.at_most_ns = values[values.size() - 1 - lowest];
  const int64_t spread = quantile(&values, 0.75) - quantile(&values, 0.25);
  middle.error_ns = static_cast<int64_t>(static_cast<double>(spread) /
                                         std::sqrt(static_cast<double>(middle.count)));
  return middle;
}

}  // namespace

bool Middle::known() const { return count >= kFewestOfMiddle; }

Middle middle_of(const std::vector<int64_t>& values) { return middle_of_known(values); }

Middle middle_of(const std::vector<int64_t>& values, const std::vector<uint32_t>& chosen) {
  std::vector<int64_t> some;
  some.reserve(chosen.size());
  for (const uint32_t i : chosen) {
    if (i < values.size()) some.push_back(values[i]);
  }
  return middle_of_known(std::move(some));
}

LeastOfGroups least_of_groups(const std::vector<int64_t>& values,
                              const std::vector<uint32_t>& chosen,
                              const std::vector<uint32_t>& group) {
  std::map<uint32_t, std::vector<int64_t>> groups;
  for (const uint32_t i : chosen) {
    if (i < values.size() && i < group.size()) groups[group[i]].push_back(values[i]);
  }
  std::vector<Middle> middles;
  for (auto& [which, some] : groups) {
    const Middle middle = middle_of_known(std::move(some));
    if (middle.known()) middles.push_back(middle);
  }
  if (middles.size() < 2) return {};
  const auto is_less = [](const Middle& a, const Middle& b) { return a.ns < b.ns; };
  return {*std::min_element(middles.begin(), middles.end(), is_less), middles.size()};
}

bool stands_out(const Middle& middle, int64_t usual_ns, int64_t least_ns) {
  return middle.known() &&
         middle.ns - usual_ns >=
             std::max({least_ns, kLeastNs,
                       static_cast<int64_t>(kTimesError * static_cast<double>(middle.error_ns))});
}

bool is_steady(const Middle& middle, int64_t usual_ns, int64_t unsure_ns) {
  return static_cast<double>(middle.ns - usual_ns) >=
         std::hypot(middle.ns - middle.at_least_ns, unsure_ns);
}

int64_t unsureness_of(const std::vector<Middle>& all, int64_t usual_ns) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Middle& one) { return one.ns == usual_ns; });
  return at == all.end() ? 0 : at->at_most_ns - usual_ns;
}

SeenOperations look_at_operations(const std::vector<int64_t>& times,
                                  const std::vector<int64_t>& apart, std::vector<uint32_t> chosen) {
  SeenOperations seen;
  seen.time = middle_of(times, chosen);
  const auto most_ns = static_cast<int64_t>(kTogether * static_cast<double>(seen.time.ns));
  std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(seen.telling),
               [&](uint32_t i) { return apart[i] <= most_ns; });
  seen.together = seen.telling.size() >= kFewestOfMiddle;
  if (!seen.together) seen.telling = std::move(chosen);
  return seen;
}
SeenOperations look_at_operations(const std::vector<int64_t>& times,
                                  const std::vector<int64_t>& apart) {
  std::vector<uint32_t> all(times.size());
  std::iota(all.begin(), all.end(), 0u);
  return look_at_operations(times, apart, std::move(all));
}

int64_t reference_of(std::vector<int64_t> values) { return quantile(&values, kReference); }
int64_t reference_of_few(std::vector<int64_t> values) { return quantile(&values, kReferenceOfFew); }

}  // namespace lockstep::analysis
