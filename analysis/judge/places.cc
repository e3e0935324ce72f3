#include "analysis/judge/places.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// The largest communicator of each process, the first of several.
std::vector<uint32_t> worlds_of(const RunTables& run) {
  std::vector<uint32_t> worlds(run.processes.size(), kNoRow);
  for (const MemberRow& member : run.members) {
    if (member.process == kNoRow) continue;
    uint32_t& world = worlds[member.process];
    if (world == kNoRow ||
        run.communicators[member.communicator].nranks > run.communicators[world].nranks)
      world = member.communicator;
  }
  return worlds;
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
  const std::vector<uint32_t> worlds = worlds_of(run);
  const MemberRow* begin = run.members.data() + comm.first_member;
  const MemberRow* end = begin + comm.members;
  for (const int32_t rank : ranks) {
    const MemberRow* member = std::find_if(
        begin, end, [&](const MemberRow& one) { return one.rank == rank && rank >= 0; });
    if (member == end || member->process == kNoRow) continue;
    const uint32_t world = worlds[member->process];
    const int32_t world_rank =
        world == communicator ? rank : rank_in(run, run.communicators[world], member->process);
    places.push_back({rank, world_rank, member->process, member->gpu});
  }
  return places;
}

std::vector<Place> culprits_of(const RunTables& run, const Finding& finding) {
  std::vector<Place> places = places_of(run, finding.communicator, finding.culprits);
  for (const uint32_t row : finding.culprits_elsewhere) {
    const MemberRow& member = run.members[row];
    for (Place place : places_of(run, member.communicator, {member.rank})) {
      place.rank = -1;
      places.push_back(place);
    }
  }
  return places;
}

}  // namespace lockstep::analysis
