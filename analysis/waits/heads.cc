#include "analysis/waits/heads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/waits/crossed_calls.h"

namespace lockstep::analysis {

Heads::Heads(const RunTables& run, const Actors& actors)
    : run_(run),
      actors_(actors),
      last_position_(run.members.size(), -1),
      fewest_(run.communicators.size(), std::numeric_limits<int64_t>::max()),
      agreed_(run.communicators.size(), std::numeric_limits<int64_t>::max()),
      kernels_on_(run.communicators.size()),
      kernels_of_(run.processes.size()),
      kernels_of_member_(run.members.size()),
      ends_known_(run.communicators.size()),
      unfinished_(run.operations.size()),
      heads_(actors.size()) {
  note_calls();
  note_deaths();
  crossed_ = crossed_calls(run_, actors_, ends_known_);
  find_unfinished();
  find_heads();
}

void Heads::note_calls() {
  std::vector<std::vector<Text>> functions(run_.communicators.size());
  for (const OperationRow& row : run_.operations) {
    if (row.communicator == kNoRow) continue;
    if (row.state != OpState::Enqueued && row.state != OpState::Captured)
      ends_known_[row.communicator] = true;
    if (row.kernels != 0) kernels_on_[row.communicator] = kernels_of_[row.process] = true;
    const uint32_t member = actors_.member_of(row.communicator, row.process, row.rank);
    if (member != kNoRow && row.kernels != 0) kernels_of_member_[member] = true;
    if (row.position == kNoRow || member == kNoRow) continue;
    last_position_[member] = std::max<int64_t>(last_position_[member], row.position);
    note_function(row, &functions);
  }
  for (uint32_t i = 0; i < run_.members.size(); ++i) {
    const MemberRow& member = run_.members[i];
    if (member.process == kNoRow) continue;
    fewest_[member.communicator] = std::min(fewest_[member.communicator], last_position_[i]);
  }
}

// Where calls are all there is, nobody knows whether the last one ended before a process died; when
// all died, the job ended.
void Heads::note_deaths() {
  std::vector<uint32_t> dead(run_.communicators.size());
  for (const MemberRow& member : run_.members) {
    if (member.process != kNoRow && run_.processes[member.process].life == Life::Dead)
      ++dead[member.communicator];
  }
  for (size_t i = 0; i < dead.size(); ++i) {
    if (ends_known_[i] || dead[i] == 0 || dead[i] == run_.communicators[i].members) continue;
    agreed_[i] = std::min(agreed_[i], std::max<int64_t>(0, fewest_[i]));
  }
}

void Heads::note_function(const OperationRow& row, std::vector<std::vector<Text>>* functions) {
  std::vector<Text>& called = (*functions)[row.communicator];
  if (called.size() <= row.position) called.resize(row.position + 1);
  Text& function = called[row.position];
  if (function == 0) function = row.func;
  if (function != row.func)
    agreed_[row.communicator] = std::min<int64_t>(agreed_[row.communicator], row.position);
}

// Streams run in order: what comes before a kernel that began has ended, as far as the GPU goes.
void Heads::find_unfinished() {
  std::unordered_map<uint64_t, uint64_t> began;  // stream -> group call of its last kernel
  for (size_t i = run_.operations.size(); i-- > 0;) {
    const OperationRow& row = run_.operations[i];
    if (i + 1 < run_.operations.size() && run_.operations[i + 1].process != row.process)
      began.clear();
    const auto later = began.find(row.stream);
    const bool other_call =
        later != began.end() && (row.group_id == 0 || later->second != row.group_id);
    unfinished_[i] = is_unfinished(static_cast<uint32_t>(i), other_call);
    if (row.kernels != 0) began.emplace(row.stream, row.group_id);
  }
}

bool Heads::is_unfinished(uint32_t operation, bool later_began) const {
  const OperationRow& row = run_.operations[operation];
  if (row.communicator == kNoRow || row.kind == OpKind::Assembled || row.match == kNoRow)
    return false;
  if (row.kind == OpKind::PointToPoint && row.peer == row.rank) return false;
  if (row.state == OpState::InFlight || row.state == OpState::Aborted) return !has_arrived(row);
  if (crossed_[operation]) return true;
  // Nothing tells when it ended: surely not before everybody called it and its kernel began. Where
  // the member has kernels in captures only, this one's are not told of.
  const uint32_t member = actors_.member_of(row.communicator, row.process, row.rank);
  const bool told_elsewhere = member != kNoRow && kernels_of_member_[member];
  return row.state == OpState::Enqueued && !later_began &&
         (some_never_called(row) || (not_begun(operation) && !told_elsewhere));
}

// The receiver has what this sends. Its kernel still runs for others of its group call.
bool Heads::has_arrived(const OperationRow& row) const {
  if (row.kind != OpKind::PointToPoint || run_.text(row.func) != "Send") return false;
  const MatchRow& match = run_.matches[row.match];
  const ArrivalRow* begin = run_.arrivals.data() + match.first_arrival;
  return std::any_of(begin, begin + match.arrivals, [&](const ArrivalRow& arrival) {
    const OperationRow& other = run_.operations[arrival.operation];
    return other.rank == row.peer && other.state == OpState::Done;
  });
}

bool Heads::some_never_called(const OperationRow& row) const {
  if (row.position != kNoRow) {
    return fewest_[row.communicator] < row.position || agreed_[row.communicator] <= row.position;
  }
  const MatchRow& match = run_.matches[row.match];
  return row.kind == OpKind::PointToPoint && match.arrivals < match.expected;
}

void Heads::find_heads() {
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> first;  // (actor, stream) -> head
  for (uint32_t i = 0; i < run_.operations.size(); ++i) {
    const OperationRow& row = run_.operations[i];
    const bool open = row.state == OpState::InFlight || row.state == OpState::Aborted;
    if (!open && !unfinished_[i]) continue;
    const uint32_t actor = actors_.of_operation(row);
    if (actor == kNoRow) continue;
    // Also of what the receiver has already: the kernel goes on with others of the call.
    if (open && row.group_id != 0 && row.kernels != 0 && row.kind != OpKind::Assembled)
      running_calls_.emplace(actor, row.group_id);
    if (!unfinished_[i]) continue;
    const OperationRow& head =
        run_.operations[first.try_emplace({actor, row.stream}, i).first->second];
    const bool one_call = row.group_id != 0 && row.group_id == head.group_id &&
                          row.replay == head.replay && row.communicator == head.communicator;
    if (&row == &head || one_call || row.kernels != 0) heads_[actor].push_back(i);
  }
}

bool Heads::is_head(uint32_t operation) const {
  const uint32_t actor = actors_.of_operation(run_.operations[operation]);
  return actor != kNoRow &&
         std::binary_search(heads_[actor].begin(), heads_[actor].end(), operation);
}

bool Heads::not_begun(uint32_t operation) const {
  const OperationRow& row = run_.operations[operation];
  if (row.kernels != 0 || row.kind == OpKind::ApiOnly || row.kind == OpKind::CopyEngine)
    return false;
  return row.communicator != kNoRow && kernels_on_[row.communicator] && kernels_of_[row.process];
}

bool Heads::its_call_runs(uint32_t operation, uint32_t actor) const {
  return running_calls_.count({actor, run_.operations[operation].group_id}) != 0;
}

bool Heads::comes_after_open(uint32_t operation, uint32_t actor) const {
  const OperationRow& row = run_.operations[operation];
  return std::any_of(heads_[actor].begin(), heads_[actor].end(), [&](uint32_t head) {
    const bool one_call = row.group_id != 0 && run_.operations[head].group_id == row.group_id;
    return !one_call && head < operation;
  });
}

}  // namespace lockstep::analysis
