#include "analysis/waits/actors.h"

#include <map>
#include <set>
#include <utility>

namespace lockstep::analysis {
namespace {

uint32_t leader_of(std::vector<uint32_t>* leader, uint32_t member) {
  while ((*leader)[member] != member) member = (*leader)[member] = (*leader)[(*leader)[member]];
  return member;
}

}  // namespace

Actors::Actors(const RunTables& run)
    : run_(run), of_member_(run.members.size(), kNoRow), several_(run.processes.size()) {
  for (uint32_t process = 0; process < run.processes.size(); ++process) process_.push_back(process);
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const MemberRow& member : run.members) {
    if (member.process == kNoRow) continue;
    if (!seen.emplace(member.communicator, member.process).second) several_[member.process] = true;
  }
  for (uint32_t i = 0; i < run.members.size(); ++i) {
    const uint32_t process = run.members[i].process;
    if (process != kNoRow && !several_[process]) of_member_[i] = process;
  }
  split_processes();
}

void Actors::split_processes() {
  std::vector<uint32_t> leader(run_.members.size());
  for (uint32_t i = 0; i < leader.size(); ++i) leader[i] = i;
  unite_streams(&leader);
  std::map<uint32_t, uint32_t> actor_of;  // by leading member
  for (uint32_t i = 0; i < run_.members.size(); ++i) {
    const uint32_t process = run_.members[i].process;
    if (process == kNoRow || !several_[process]) continue;
    const auto [at, is_new] = actor_of.try_emplace(leader_of(&leader, i), size());
    if (is_new) process_.push_back(process);
    of_member_[i] = at->second;
  }
}

// A stream belongs to one GPU.
void Actors::unite_streams(std::vector<uint32_t>* leader) const {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> first;  // (process, stream) -> member
  for (const OperationRow& row : run_.operations) {
    if (!several_[row.process] || row.stream == 0) continue;
    const uint32_t member = member_of(row.communicator, row.process, row.rank);
    if (member == kNoRow) continue;
    const auto [at, is_new] = first.try_emplace({row.process, row.stream}, member);
    if (!is_new) (*leader)[leader_of(leader, member)] = leader_of(leader, at->second);
  }
}

uint32_t Actors::member_of(uint32_t communicator, uint32_t process, int32_t rank) const {
  if (communicator >= run_.communicators.size()) return kNoRow;
  const CommunicatorRow& comm = run_.communicators[communicator];
  const auto is_it = [&](uint32_t i) {
    return run_.members[i].process == process && run_.members[i].rank == rank;
  };
  // Members are sorted by rank: where all were recorded, a rank is its own place.
  if (rank >= 0 && static_cast<uint32_t>(rank) < comm.members &&
      is_it(comm.first_member + static_cast<uint32_t>(rank)))
    return comm.first_member + static_cast<uint32_t>(rank);
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    if (is_it(i)) return i;
  }
  return kNoRow;
}

uint32_t Actors::of_operation(const OperationRow& row) const {
  if (!several_[row.process]) return row.process;
  const uint32_t member = member_of(row.communicator, row.process, row.rank);
  return member == kNoRow ? kNoRow : of_member_[member];
}

}  // namespace lockstep::analysis
