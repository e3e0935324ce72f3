#include "analysis/paths/alike_sizes.h"

#include <set>
#include <utility>

#include "analysis/paths/middle.h"

namespace lockstep::analysis {
namespace {

uint64_t power_of_two_below(uint64_t bytes) {
  uint64_t power = 1;
  while (power <= bytes / 2) power *= 2;
  return power;
}

}  // namespace

AlikeSizes::AlikeSizes(const RunTables& run) {
  std::map<std::pair<uint32_t, Text>, std::set<std::pair<int32_t, int32_t>>> pairs;
  for (const MatchRow& match : run.matches) {
    ++of_size_[{match.communicator, match.func, match.size_bytes}];
    if (match.arrivals == 0) continue;
    const OperationRow& first = run.operations[run.arrivals[match.first_arrival].operation];
    const bool sends = first.kind == OpKind::PointToPoint;
    pairs[{match.communicator, match.func}].emplace(sends ? first.rank : 0, sends ? first.peer : 0);
  }
  for (const auto& [key, ends] : pairs) edges_[key] = ends.size();
}

bool AlikeSizes::are_few(const MatchRow& match) const {
  const auto of_size = of_size_.find({match.communicator, match.func, match.size_bytes});
  const auto edges = edges_.find({match.communicator, match.func});
  return of_size != of_size_.end() && edges != edges_.end() &&
         of_size->second < kFewestOfMiddle * edges->second;
}

uint64_t AlikeSizes::of(const MatchRow& match) const {
  return match.size_bytes != 0 && are_few(match) ? power_of_two_below(match.size_bytes)
                                                 : match.size_bytes;
}

int64_t AlikeSizes::scaled(const MatchRow& match, int64_t ns) const {
  const uint64_t alike = of(match);
  if (alike == match.size_bytes || ns == kNoTime) return ns;
  return static_cast<int64_t>(static_cast<double>(ns) * static_cast<double>(alike) /
                              static_cast<double>(match.size_bytes));
}

}  // namespace lockstep::analysis
