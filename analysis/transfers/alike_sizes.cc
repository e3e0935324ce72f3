#include "analysis/transfers/alike_sizes.h"

#include <set>
#include <utility>

#include "analysis/transfers/middle.h"

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

AlikeSize AlikeSizes::of(const MatchRow& match) const {
  AlikeSize alike{match.size_bytes, 1};
  const auto of_size = of_size_.find({match.communicator, match.func, match.size_bytes});
  const auto edges = edges_.find({match.communicator, match.func});
  const bool few = of_size != of_size_.end() && edges != edges_.end() &&
                   of_size->second < kFewestOfMiddle * edges->second;
  if (!few || match.size_bytes == 0) return alike;
  alike.bytes = power_of_two_below(match.size_bytes);
  alike.factor = static_cast<double>(alike.bytes) / static_cast<double>(match.size_bytes);
  return alike;
}

int64_t AlikeSize::scaled(int64_t ns) const {
  return factor == 1 || ns == kNoTime ? ns : part_of(ns, factor);
}

}  // namespace lockstep::analysis
