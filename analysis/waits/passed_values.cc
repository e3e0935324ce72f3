#include "analysis/waits/passed_values.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::analysis {
namespace {

using Values = std::tuple<Text, uint64_t, Text, int32_t>;

Values values_of(const OperationRow& row, const Stall& stall, bool bytes_only) {
  const bool rooted = row.kind == OpKind::Collective && row.peer > 0;
  return {stall.pair ? 0 : row.func, row.size_bytes, bytes_only ? 0 : row.datatype,
          rooted ? row.peer : 0};
}

}  // namespace

PassedValues passed_values(const RunTables& run, const Stall& stall) {
  PassedValues passed;
  passed.bytes_only =
      std::any_of(stall.members.begin(), stall.members.end(), [&](const StallMember& member) {
        return member.operation != kNoRow &&
               (run.operations[member.operation].flags & kOrphan) != 0;
      });
  std::map<Values, PassedValues::Group> groups;
  for (const StallMember& member : stall.members) {
    if (member.operation == kNoRow) continue;
    PassedValues::Group& group =
        groups[values_of(run.operations[member.operation], stall, passed.bytes_only)];
    group.ranks.push_back(member.rank);
    group.operation = member.operation;
  }
  for (auto& [values, group] : groups) passed.groups.push_back(std::move(group));
  return passed;
}

}  // namespace lockstep::analysis
