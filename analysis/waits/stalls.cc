#include "analysis/waits/stalls.h"

#include <algorithm>
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
  StallFinder(const RunTables& run, const Actors& actors, const Heads& heads)
      : run_(run), actors_(actors), heads_(heads) {}

  std::vector<Stall> find() {
    for (uint32_t actor = 0; actor < actors_.size(); ++actor) {
      for (const uint32_t head : heads_.of(actor)) series_[run_.operations[head].communicator];
    }
    collect_series();
    for (uint32_t actor = 0; actor < actors_.size(); ++actor) {
      for (const uint32_t head : heads_.of(actor)) add(head);
    }
    return std::move(stalls_);
  }

 private:
  // The operations of a communicator with a head.
  struct Series {
    std::map<int32_t, std::vector<uint32_t>> collectives;  // by rank, in order of their positions
    std::map<int32_t, uint32_t> last;                      // by rank
    int64_t typical_ns = 0;
  };

  void collect_series() {
    std::unordered_map<uint32_t, std::vector<int64_t>> durations;
    for (uint32_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      const auto found = series_.find(row.communicator);
      if (found == series_.end() || row.state == OpState::Captured) continue;
      Series& series = found->second;
      series.last[row.rank] = i;
      if (row.position != kNoRow) series.collectives[row.rank].push_back(i);
      // A rank may call far ahead of its GPU: what waits for its turn does not stand still.
      const int64_t begun_ns =
          row.kernel_start_ns != kNoTime ? row.kernel_start_ns : row.enqueue_ns;
      if (row.state == OpState::Done && row.ordinal != 0 && begun_ns != kNoTime)
        durations[row.communicator].push_back(row.finish_ns - begun_ns);
    }
    for (auto& [communicator, series] : series_) {
      std::vector<int64_t>& usual = durations[communicator];
      if (!heads_.ends_known(communicator)) note_pauses(series, &usual);
      series.typical_ns = quantile(&usual, 0.9);
    }
  }

  // From call to call: what stands for the usual time of an operation.
  void note_pauses(const Series& series, std::vector<int64_t>* pauses) const {
    for (const auto& [rank, list] : series.collectives) {
      for (size_t i = 2; i < list.size(); ++i) {
        const int64_t at = run_.operations[list[i]].last_progress_ns;
        const int64_t before = run_.operations[list[i - 1]].last_progress_ns;
        if (at != kNoTime && before != kNoTime) pauses->push_back(at - before);
      }
    }
  }

  void add(uint32_t head) {
    const OperationRow& row = run_.operations[head];
    if (!seen_.insert(row.match).second) return;
    Stall stall;
    stall.communicator = row.communicator;
    stall.operation = head;
    stall.pair = row.kind == OpKind::PointToPoint;
    const Series& series = series_[row.communicator];
    stall.typical_ns = series.typical_ns;
    add_members(series, row, &stall);
    if (stall.disputed) choose_function(&stall);
    stall.by_calls = !heads_.ends_known(row.communicator);
    time(&stall);
    stalls_.push_back(std::move(stall));
  }

  void add_members(const Series& series, const OperationRow& head, Stall* stall) {
    const CommunicatorRow& comm = run_.communicators[stall->communicator];
    std::unordered_map<int32_t, uint32_t> called;
    const MatchRow& match = run_.matches[head.match];
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i)
      called[run_.arrivals[i].rank] = run_.arrivals[i].operation;
    if (stall->pair) {
      for (const int32_t rank : {head.rank, head.peer}) {
        if (rank >= 0) add_member(series, called, rank, stall);
      }
      return;
    }
    for (int32_t rank = 0; rank < comm.nranks; ++rank) add_member(series, called, rank, stall);
  }

  void add_member(const Series& series, const std::unordered_map<int32_t, uint32_t>& called,
                  int32_t rank, Stall* stall) {
    StallMember& member = stall->members.emplace_back();
    member.rank = rank;
    const uint32_t known = member_of(stall->communicator, rank);
    if (known == kNoRow) return;
    member.process = run_.members[known].process;
    member.actor = actors_.of_member(known);
    member.finalize_ns = run_.members[known].finalize_ns;
    const auto last = series.last.find(rank);
    if (last != series.last.end()) member.last_operation = last->second;
    const auto row = called.find(rank);
    const uint32_t own = row == called.end() ? kNoRow : row->second;
    const uint32_t other = called_in_turn(*stall, own) ? kNoRow : other_call(series, *stall, rank);
    member.operation = other != kNoRow ? other : own;
    if (other != kNoRow) {
      member.stand = Stand::Elsewhere;
      stall->disputed = true;
      seen_.insert(run_.operations[other].match);
    } else {
      member.stand = own == kNoRow ? Stand::Missing : stand_in(own, member.actor);
    }
  }

  // At the same place among its calls as the rank that stands in it.
  bool called_in_turn(const Stall& stall, uint32_t operation) const {
    return operation != kNoRow &&
           run_.operations[operation].position == run_.operations[stall.operation].position;
  }

  uint32_t member_of(uint32_t communicator, int32_t rank) const {
    if (rank < 0) return kNoRow;
    const CommunicatorRow& comm = run_.communicators[communicator];
    const MemberRow* begin = run_.members.data() + comm.first_member;
    const MemberRow* end = begin + comm.members;
    const auto at = static_cast<uint32_t>(rank);
    if (at < comm.members && begin[at].rank == rank) return comm.first_member + at;
    const MemberRow* found =
        std::find_if(begin, end, [&](const MemberRow& one) { return one.rank == rank; });
    return found == end ? kNoRow : static_cast<uint32_t>(found - run_.members.data());
  }

  Stand stand_in(uint32_t operation, uint32_t actor) const {
    const OperationRow& row = run_.operations[operation];
    if (!is_open(row) && !heads_.unfinished(operation))
      return row.state == OpState::Enqueued ? Stand::Inside : Stand::Passed;
    if (heads_.not_begun(operation) && !heads_.its_call_runs(operation, actor))
      return heads_.comes_after_open(operation, actor) ? Stand::Queued : Stand::NotBegun;
    return row.kernels != 0 || heads_.is_head(operation) ? Stand::Inside : Stand::Queued;
  }

  // What the rank called where the others called this one: at the same position, after the same
  // operation. Without that, its calls may have been recorded in part, and positions mean nothing.
  uint32_t other_call(const Series& series, const Stall& stall, int32_t rank) const {
    const uint32_t position = run_.operations[stall.operation].position;
    if (position == kNoRow) return kNoRow;
    const uint32_t row = at_position(series, rank, position);
    if (row == kNoRow || position == 0) return row;
    const uint32_t before = at_position(series, rank, position - 1);
    const uint32_t there = at_position(series, run_.operations[stall.operation].rank, position - 1);
    if (before == kNoRow || there == kNoRow) return kNoRow;
    return run_.operations[before].match == run_.operations[there].match ? row : kNoRow;
  }

  uint32_t at_position(const Series& series, int32_t rank, uint32_t position) const {
    const auto list = series.collectives.find(rank);
    if (list == series.collectives.end()) return kNoRow;
    const auto found = std::lower_bound(
        list->second.begin(), list->second.end(), position,
        [&](uint32_t row, uint32_t wanted) { return run_.operations[row].position < wanted; });
    return found != list->second.end() && run_.operations[*found].position == position ? *found
                                                                                       : kNoRow;
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
    bool chosen = false;
    for (StallMember& member : stall->members) {
      if (member.operation == kNoRow) continue;
      const OperationRow& row = run_.operations[member.operation];
      if (row.func != winner) {
        member.stand = Stand::Elsewhere;
        continue;
      }
      if (member.stand == Stand::Elsewhere) member.stand = stand_in(member.operation, member.actor);
      if (!chosen || is_open(row)) stall->operation = member.operation;
      chosen = true;
    }
  }

  // How long nothing has moved, on each clock by itself where hosts are not on one; the shortest
  // counts.
  void time(Stall* stall) const {
    struct Span {
      int64_t since_ns = kNoTime, until_ns = kNoTime;
    };
    std::map<uint64_t, Span> clocks;
    for (const StallMember& member : stall->members) {
      if (member.process == kNoRow) continue;
      const ProcessRow& process = run_.processes[member.process];
      stall->running = stall->running || still_runs(process.life);
      Span& span = clocks[clock_key(process)];
      // What comes after the communicator was given up says nothing about how long it hung.
      const int64_t end = member.finalize_ns != kNoTime ? member.finalize_ns : process.heard_ns;
      span.until_ns = std::max(span.until_ns, end);
      const uint32_t at = stall->by_calls ? member.last_operation : member.operation;
      if (at == kNoRow || (member.stand == Stand::Queued && !stall->by_calls)) continue;
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
    for (StallMember& member : stall->members) {
      if (member.process != kNoRow)
        member.until_ns = clocks[clock_key(run_.processes[member.process])].until_ns;
    }
  }

  const RunTables& run_;
  const Actors& actors_;
  const Heads& heads_;
  std::map<uint32_t, Series> series_;  // by communicator
  std::unordered_set<uint32_t> seen_;  // matches
  std::vector<Stall> stalls_;
};

}  // namespace

std::vector<Stall> find_stalls(const RunTables& run, const Actors& actors, const Heads& heads) {
  return StallFinder(run, actors, heads).find();
}

}  // namespace lockstep::analysis
