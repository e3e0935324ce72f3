#include "analysis/judge/stalls.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

bool is_open(const OperationRow& row) {
  return row.state == OpState::InFlight || row.state == OpState::Aborted;
}

class StallFinder {
 public:
  explicit StallFinder(const RunTables& run) : run_(run) {}

  std::vector<Stall> find() {
    collect();
    for (auto& [communicator, rows] : by_communicator_) find_collective(communicator, rows);
    for (const uint32_t row : open_pairs_) find_pair(row);
    return std::move(stalls_);
  }

 private:
  struct Rows {
    std::unordered_map<uint32_t, std::vector<uint32_t>>
        by_process;                   // rows with a position, in order
    uint32_t frontier = kNoRow;       // the earliest position that is open on some rank
    uint32_t dead_frontier = kNoRow;  // likewise, of dead processes
    std::vector<int64_t> durations;
  };

  void collect() {
    for (size_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      if (row.communicator == kNoRow) continue;
      // Without ends, a communicator is judged by its calls.
      if (row.state == OpState::Enqueued && row.position != kNoRow)
        by_communicator_[row.communicator];
      else if (row.state != OpState::Enqueued && row.state != OpState::Captured)
        ends_known_.insert(row.communicator);
      if (!is_open(row)) continue;
      if (row.position != kNoRow) {
        Rows& rows = by_communicator_[row.communicator];
        // A dead process's last operation may have ended unrecorded: the living say where they
        // wait.
        uint32_t& frontier =
            run_.processes[row.process].life == Life::Dead ? rows.dead_frontier : rows.frontier;
        frontier = std::min(frontier, row.position);
      } else if (row.kind == OpKind::PointToPoint) {
        open_pairs_.push_back(static_cast<uint32_t>(i));
      } else if (row.replay > 1) {
        by_communicator_[row.communicator];  // replays have no position; see find_collective()
        open_replays_[row.communicator].push_back(static_cast<uint32_t>(i));
      }
    }
    for (size_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      const auto found = by_communicator_.find(row.communicator);
      if (found == by_communicator_.end()) continue;
      if (row.position != kNoRow)
        found->second.by_process[row.process].push_back(static_cast<uint32_t>(i));
      const int64_t begin = row.enqueue_ns;
      if (row.state == OpState::Done && row.ordinal != 0 && begin != kNoTime) {
        found->second.durations.push_back(row.finish_ns - begin);
      }
    }
  }

  void find_collective(uint32_t communicator, Rows& rows) {
    if (rows.frontier == kNoRow) rows.frontier = rows.dead_frontier;
    const bool by_calls = ends_known_.count(communicator) == 0;
    if (by_calls && !find_frontier_of_calls(communicator, &rows)) return;
    if (rows.frontier == kNoRow) return find_replay(communicator, rows);
    Stall stall = begin(communicator, rows);
    stall.by_calls = by_calls;
    const auto at_frontier = [&](const std::vector<uint32_t>& list) {
      const auto found = std::lower_bound(list.begin(), list.end(), rows.frontier,
                                          [&](uint32_t row, uint32_t position) {
                                            return run_.operations[row].position < position;
                                          });
      return found != list.end() && run_.operations[*found].position == rows.frontier ? *found
                                                                                      : kNoRow;
    };
    for (StallMember& member : stall.members) {
      const auto list = rows.by_process.find(member.process);
      if (list == rows.by_process.end() || list->second.empty()) continue;
      member.operation = at_frontier(list->second);
      member.last_operation = list->second.back();
    }
    choose_function(&stall);
    finish(std::move(stall));
  }

  // Where calls tell that something is wrong: the first position at which ranks called different
  // functions, else the first that not all called, else the last one when a process died.
  bool find_frontier_of_calls(uint32_t communicator, Rows* rows) const {
    const CommunicatorRow& comm = run_.communicators[communicator];
    std::vector<const std::vector<uint32_t>*> lists;
    static const std::vector<uint32_t> kNone;
    size_t shortest = std::numeric_limits<size_t>::max(), longest = 0, dead = 0;
    for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
      const uint32_t process = run_.members[i].process;
      const auto list = rows->by_process.find(process);
      lists.push_back(list == rows->by_process.end() ? &kNone : &list->second);
      shortest = std::min(shortest, lists.back()->size());
      longest = std::max(longest, lists.back()->size());
      dead += run_.processes[process].life == Life::Dead ? 1 : 0;
      note_pauses(*lists.back(), &rows->durations);
    }
    if (longest == 0) return false;
    for (size_t at = 0; at < shortest && rows->frontier == kNoRow; ++at) {
      for (const auto* list : lists) {
        if (run_.operations[(*list)[at]].func != run_.operations[(*lists[0])[at]].func)
          rows->frontier = static_cast<uint32_t>(at);
      }
    }
    if (rows->frontier != kNoRow) return true;
    const bool died = dead != 0 && dead != lists.size();
    if (shortest == longest && !died) return false;
    rows->frontier = static_cast<uint32_t>(shortest == longest ? shortest - 1 : shortest);
    return true;
  }
  // From call to call: what stands for the usual time of an operation.
  void note_pauses(const std::vector<uint32_t>& list, std::vector<int64_t>* pauses) const {
    for (size_t i = 2; i < list.size(); ++i) {
      const int64_t at = run_.operations[list[i]].last_progress_ns;
      const int64_t before = run_.operations[list[i - 1]].last_progress_ns;
      if (at != kNoTime && before != kNoTime) pauses->push_back(at - before);
    }
  }

  // All ranks replay the same graph: the ordinal and the replay say where each one stands.
  void find_replay(uint32_t communicator, Rows& rows) {
    const std::vector<uint32_t>& open = open_replays_[communicator];
    if (open.empty()) return;
    const OperationRow& first = run_.operations[open.front()];
    Stall stall = begin(communicator, rows);
    for (size_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      if (row.communicator != communicator) continue;
      for (StallMember& member : stall.members) {
        if (member.process != row.process || member.rank != row.rank) continue;
        member.last_operation = static_cast<uint32_t>(i);
        if (row.match == first.match) member.operation = static_cast<uint32_t>(i);
      }
    }
    stall.operation = open.front();
    finish(std::move(stall));
  }

  Stall begin(uint32_t communicator, Rows& rows) {
    Stall stall;
    stall.communicator = communicator;
    const CommunicatorRow& comm = run_.communicators[communicator];
    for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
      const MemberRow& known = run_.members[i];
      StallMember member;
      member.rank = known.rank;
      member.process = known.process;
      member.finalize_ns = known.finalize_ns;
      member.stand = Stand::Missing;
      stall.members.push_back(member);
    }
    stall.typical_ns = quantile(&rows.durations, 0.9);
    return stall;
  }

  // What most members called at this position is what should have been called.
  void choose_function(Stall* stall) const {
    std::map<Text, uint32_t> votes;
    for (const StallMember& member : stall->members) {
      if (member.operation != kNoRow) ++votes[run_.operations[member.operation].func];
    }
    Text winner = 0;
    uint32_t most = 0;
    for (const auto& [func, count] : votes) {
      if (count > most) winner = func, most = count;
    }
    for (const StallMember& member : stall->members) {
      if (member.operation == kNoRow || run_.operations[member.operation].func != winner) continue;
      if (stall->operation == kNoRow || is_open(run_.operations[member.operation]))
        stall->operation = member.operation;
    }
  }

  void find_pair(uint32_t row_number) {
    const OperationRow& row = run_.operations[row_number];
    if (row.match == kNoRow || !seen_matches_.insert(row.match).second) return;
    Rows none;
    Stall stall = begin(row.communicator, none);
    stall.pair = true;
    stall.operation = row_number;
    auto& members = stall.members;
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [&](const StallMember& m) {
                                   return m.rank != row.rank && m.rank != row.peer;
                                 }),
                  members.end());
    const MatchRow& match = run_.matches[row.match];
    for (StallMember& member : members) {
      for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
        if (run_.arrivals[i].rank == member.rank) member.operation = run_.arrivals[i].operation;
      }
    }
    finish(std::move(stall));
  }

  void finish(Stall stall) {
    if (stall.operation == kNoRow) return;
    const OperationRow& expected = run_.operations[stall.operation];
    for (StallMember& member : stall.members) {
      const ProcessRow& process = run_.processes[member.process];
      stall.running = stall.running || process.life == Life::Running;
      stall.unfinished = stall.unfinished || process.life != Life::Ended;
      if (member.operation == kNoRow) continue;
      const OperationRow& row = run_.operations[member.operation];
      if (!stall.pair && row.func != expected.func) {
        member.stand = Stand::Elsewhere;
      } else {
        member.stand = stall.by_calls || is_open(row) ? Stand::Inside : Stand::Passed;
      }
      stall.aborted = stall.aborted || row.state == OpState::Aborted;
    }
    time(&stall);
    add_not_recorded(&stall);
    stalls_.push_back(std::move(stall));
  }

  // How long nothing has moved, on each clock by itself where hosts are not on one; the shortest
  // counts.
  void time(Stall* stall) const {
    struct Span {
      int64_t since_ns = kNoTime, until_ns = kNoTime;
    };
    std::map<uint64_t, Span> clocks;
    for (const StallMember& member : stall->members) {
      const ProcessRow& process = run_.processes[member.process];
      Span& span = clocks[clock_key(process)];
      // What comes after the communicator was given up says nothing about how long it hung.
      const int64_t end = member.finalize_ns != kNoTime ? member.finalize_ns : process.heard_ns;
      span.until_ns = std::max(span.until_ns, end);
      const uint32_t at = stall->by_calls ? member.last_operation : member.operation;
      if (at == kNoRow) continue;
      const OperationRow& row = run_.operations[at];
      span.since_ns = std::max({span.since_ns, row.last_progress_ns, row.enqueue_ns});
    }
    bool any = false;
    for (const auto& [clock, span] : clocks) {
      if (span.since_ns == kNoTime) continue;
      const double seconds =
          static_cast<double>(std::max<int64_t>(0, span.until_ns - span.since_ns)) * 1e-9;
      stall->seconds = any ? std::min(stall->seconds, seconds) : seconds;
      any = true;
    }
    stall->one_clock = clocks.size() == 1;
    for (StallMember& member : stall->members)
      member.until_ns = clocks[clock_key(run_.processes[member.process])].until_ns;
  }

  void add_not_recorded(Stall* stall) const {
    if (stall->pair) {
      const OperationRow& row = run_.operations[stall->operation];
      if (stall->members.size() < 2 && row.peer != row.rank) add_rank(stall, row.peer);
      return;
    }
    std::vector<bool> known(
        static_cast<size_t>(std::max(0, run_.communicators[stall->communicator].nranks)));
    for (const StallMember& member : stall->members) {
      if (member.rank >= 0 && static_cast<size_t>(member.rank) < known.size())
        known[static_cast<size_t>(member.rank)] = true;
    }
    for (size_t rank = 0; rank < known.size(); ++rank) {
      if (!known[rank]) add_rank(stall, static_cast<int32_t>(rank));
    }
  }
  static void add_rank(Stall* stall, int32_t rank) { stall->members.emplace_back().rank = rank; }

  const RunTables& run_;
  std::map<uint32_t, Rows> by_communicator_;
  std::unordered_set<uint32_t> ends_known_;  // communicators
  std::unordered_map<uint32_t, std::vector<uint32_t>> open_replays_;
  std::vector<uint32_t> open_pairs_;
  std::unordered_set<uint32_t> seen_matches_;
  std::vector<Stall> stalls_;
};

}  // namespace

std::vector<Stall> find_stalls(const RunTables& run) { return StallFinder(run).find(); }

}  // namespace lockstep::analysis
