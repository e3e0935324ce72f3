#include "analysis/judge/places.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// The first that has as many ranks as any.
const CommunicatorRow& world_of(const RunTables& run) {
  return *std::max_element(
      run.communicators.begin(), run.communicators.end(),
      [](const CommunicatorRow& a, const CommunicatorRow& b) { return a.nranks < b.nranks; });
}

// -1 too where a process has several ranks there: which of them is meant is not known.
int32_t rank_in(const RunTables& run, const CommunicatorRow& comm, uint32_t process) {
  int32_t rank = -1;
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    if (run.members[i].process != process) continue;
    if (rank >= 0) return -1;
    rank = run.members[i].rank;
  }
  return rank;
}

}  // namespace

std::vector<Place> places_of(const RunTables& run, uint32_t communicator,
                             const std::vector<int32_t>& ranks) {
  std::vector<Place> places;
  if (communicator >= run.communicators.size()) return places;
  const CommunicatorRow& comm = run.communicators[communicator];
  const CommunicatorRow& world = world_of(run);
  const MemberRow* begin = run.members.data() + comm.first_member;
  const MemberRow* end = begin + comm.members;
  for (const int32_t rank : ranks) {
    const MemberRow* member = std::find_if(
        begin, end, [&](const MemberRow& one) { return one.rank == rank && rank >= 0; });
    if (member == end || member->process == kNoRow) continue;
    const int32_t world_rank = &comm == &world ? rank : rank_in(run, world, member->process);
    places.push_back({rank, world_rank, member->process, member->gpu});
  }
  return places;
}

}  // namespace lockstep::analysis
