#include "analysis/follow/own_segments.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

// So far back a predecessor is looked for among operations that overlap.
constexpr size_t kFarthestBack = 1024;
// ... and among those beside its own stream.
constexpr size_t kFarthestBeside = 64;
// What ends so shortly after a start may be what the start waited for: an operation of many channels ends with the last
// of them, whose data may have been there before.
constexpr int64_t kHardlyLaterNs = 20'000;

class Finder {
 public:
  explicit Finder(const RunTables& run)
      : run_(run),
        one_sided_{run.strings.find("Send"), run.strings.find("Reduce"),
                   run.strings.find("Broadcast")} {}

  OwnSegments find() {
    number_actors();
    collect();
    find_ends_of_wholes();
    place_starts();
    place_ends();
    find_waits_for_launches();
    find_predecessors();
    return std::move(out_);
  }

 private:
  Segment& at(size_t i) { return out_.segments[out_.order[i]]; }
  const OperationRow& operation_of(uint32_t a) const {
    return run_.operations[run_.arrivals[a].operation];
  }
  const OperationRow& operation(size_t i) const { return operation_of(out_.order[i]); }
  const MatchRow& match(size_t i) const { return run_.matches[run_.arrivals[out_.order[i]].match]; }

  void number_actors() {
    std::vector<uint32_t> locals(run_.processes.size(), 1);
    out_.member_local.resize(run_.members.size());
    for (const CommunicatorRow& comm : run_.communicators) {
      std::unordered_map<uint32_t, uint32_t> seen;  // by process
      for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m) {
        const uint32_t process = run_.members[m].process;
        if (process == kNoRow) continue;
        const uint32_t local = seen[process]++;
        out_.member_local[m] = local;
        locals[process] = std::max(locals[process], local + 1);
      }
    }
    for (uint32_t p = 0; p < run_.processes.size(); ++p) {
      out_.first_actor.push_back(static_cast<uint32_t>(out_.actors.size()));
      for (uint32_t local = 0; local < locals[p]; ++local) out_.actors.push_back({p, local});
    }
  }

  uint32_t actor_of(const OperationRow& row) const {
    const uint32_t first = out_.first_actor[row.process];
    const bool single = row.process + 1 < out_.first_actor.size()
                            ? out_.first_actor[row.process + 1] == first + 1
                            : out_.actors.size() == first + 1;
    if (single) return first;
    const CommunicatorRow& comm = run_.communicators[row.communicator];
    const auto begin = run_.members.begin() + comm.first_member, end = begin + comm.members;
    const auto member = std::find_if(begin, end, [&](const MemberRow& one) {
      return one.process == row.process && one.rank == row.rank;
    });
    return member == end
               ? first
               : first + out_.member_local[static_cast<size_t>(member - run_.members.begin())];
  }

  static bool took_place(const OperationRow& row) {
    return row.state == OpState::Done || row.state == OpState::Enqueued ||
           row.state == OpState::Incomplete;
  }

  // The last kernel or network end of a row; of an assembled operation that of the last part, by the
  // network where a part has no kernel times.
  int64_t finish_of(uint32_t arrival) const {
    const auto whole = whole_finish_ns_.find(run_.arrivals[arrival].operation);
    return whole == whole_finish_ns_.end() ? run_.arrivals[arrival].finish_ns : whole->second;
  }
  void find_ends_of_wholes() {
    for (const OperationRow& part : run_.operations) {
      if (part.assembled == kNoRow || run_.operations[part.assembled].finish_ns == kNoTime)
        continue;
      int64_t& finish_ns = whole_finish_ns_.try_emplace(part.assembled, kNoTime).first->second;
      finish_ns = std::max(finish_ns, part.over_ns());
    }
  }

  // Rows in the order of the calls, by actor, with the launches numbered.
  void collect() {
    std::vector<uint32_t> arrival_of(run_.operations.size(), kNoRow);
    for (uint32_t a = 0; a < run_.arrivals.size(); ++a) {
      const ArrivalRow& arrival = run_.arrivals[a];
      const OperationRow& row = run_.operations[arrival.operation];
      // The whole of an all-to-all stands for its parts.
      if (row.assembled == kNoRow && arrival.arrival_ns != kNoTime && took_place(row))
        arrival_of[arrival.operation] = a;
    }
    out_.segments.resize(run_.arrivals.size());
    std::vector<std::vector<uint32_t>> rows_of(out_.actors.size());
    for (uint32_t o = 0; o < run_.operations.size(); ++o) {
      if (arrival_of[o] == kNoRow) continue;
      const uint32_t actor = actor_of(run_.operations[o]);
      out_.segments[arrival_of[o]].actor = actor;
      rows_of[actor].push_back(arrival_of[o]);
    }
    for (auto& rows : rows_of) {
      number_launches(rows, out_.order.size());
      out_.order.insert(out_.order.end(), rows.begin(), rows.end());
      std::vector<uint32_t>().swap(rows);
    }
    out_.launch_begin.push_back(static_cast<uint32_t>(out_.order.size()));
  }
  // place: in `order`, of the first of them.
  void number_launches(const std::vector<uint32_t>& rows, size_t place) {
    const OperationRow* previous = nullptr;
    for (const uint32_t a : rows) {
      const OperationRow& row = operation_of(a);
      const bool same = previous != nullptr && previous->replay == row.replay &&
                        ((row.group_id != 0 && previous->group_id == row.group_id) ||
                         (row.launch_ns != kNoTime && previous->launch_ns == row.launch_ns));
      if (!same) {
        set_up_.push_back(false);
        out_.launch_begin.push_back(static_cast<uint32_t>(place));
      }
      ++place;
      out_.segments[a].launch = static_cast<uint32_t>(set_up_.size() - 1);
      // The first operation of a communicator, or with a peer, sets up its connections.
      if (row.ordinal + row.replay == 0) set_up_.back() = true;
      previous = &row;
    }
  }

  // When the operations before one on its communicator, or on its stream, had ended.
  struct Serial {
    uint32_t launch = kNoRow;
    int64_t before_ns = kNoTime, own_ns = kNoTime;  // of earlier launches; of `launch`
    void enter(uint32_t at) {
      if (at == launch) return;
      before_ns = std::max(before_ns, own_ns);
      own_ns = kNoTime;
      launch = at;
    }
  };

  void place_starts() {
    out_.last_start_ns.assign(run_.matches.size(), kNoTime);
    std::unordered_map<uint64_t, Serial> serial;
    uint32_t actor = kNoRow;
    for (size_t i = 0; i < out_.order.size(); ++i) {
      Segment& segment = at(i);
      if (segment.actor != actor) serial.clear();
      actor = segment.actor;
      const ArrivalRow& arrival = run_.arrivals[out_.order[i]];
      const OperationRow& row = operation(i);
      const int64_t finish_ns = finish_of(out_.order[i]);
      segment.start_ns = arrival.arrival_ns;
      Serial* const lines[] = {&serial[uint64_t{row.communicator} << 1],
                               row.stream == 0 ? nullptr : &serial[row.stream << 1 | 1]};
      for (Serial* line : lines) {
        if (line == nullptr) continue;
        line->enter(segment.launch);
        // What ended before it did not run beside it.
        if (arrival.basis != ArrivalBasis::KernelStart &&
            (finish_ns == kNoTime || line->before_ns < finish_ns))
          segment.start_ns = std::max(segment.start_ns, line->before_ns);
        line->own_ns = std::max(line->own_ns, finish_ns);
      }
      int64_t& last = out_.last_start_ns[arrival.match];
      last = std::max(last, segment.start_ns);
      segment.counts =
          !set_up_[segment.launch] && match(i).comparable != 0 && match(i).arrivals > 1;
    }
  }

  void place_ends() {
    Following any;  // call of the actor
    std::unordered_map<uint32_t, Following> on_communicator;
    for (size_t i = out_.order.size(); i-- > 0;) {
      Segment& segment = at(i);
      if (i + 1 == out_.order.size() || at(i + 1).actor != segment.actor) {
        any = Following();
        on_communicator.clear();
      }
      Following& same = on_communicator[match(i).communicator];
      any.enter(segment);
      same.enter(segment);
      place_end(out_.order[i], any.next_ns, same.next_ns);
    }
  }
  // When the launch after the one at hand starts, going backwards.
  struct Following {
    uint32_t launch = kNoRow;
    int64_t next_ns = kNoTime, own_ns = kNoTime;
    void enter(const Segment& segment) {
      if (segment.launch != launch) next_ns = own_ns;
      launch = segment.launch;
      own_ns = segment.start_ns;
    }
  };

  void place_end(uint32_t a, int64_t next_ns, int64_t next_on_communicator_ns) {
    Segment& segment = out_.segments[a];
    const ArrivalRow& arrival = run_.arrivals[a];
    const MatchRow& match = run_.matches[arrival.match];
    const int64_t last_ns = out_.last_start_ns[arrival.match];
    int64_t finish_ns = finish_of(a);
    const bool together = match.comparable != 0 && match.arrivals > 1;
    segment.waits = together && (finish_ns != kNoTime ? may_end_after_last(a, finish_ns)
                                 : next_ns == kNoTime ? true
                                                      : next_ns >= last_ns);
    segment.end_known = finish_ns != kNoTime;
    // Proxy threads see ends late: the next operation of a communicator begins after this one.
    if (finish_ns != kNoTime && next_on_communicator_ns != kNoTime)
      finish_ns = std::min(finish_ns, next_on_communicator_ns);
    segment.end_ns = finish_ns != kNoTime ? finish_ns : segment.start_ns;
    // An end lies after what it waited for: the order of a replay.
    segment.end_ns = std::max(segment.end_ns, 1 + (segment.waits ? last_ns : segment.start_ns));
  }

  // Where GPU clocks are known inexactly, an end may seem to come before the start that it waited for. Who
  // sends, or takes part in a rooted operation, may in truth be done before the last has come.
  bool may_end_after_last(uint32_t a, int64_t finish_ns) const {
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    if (finish_ns >= out_.last_start_ns[run_.arrivals[a].match]) return true;
    const Text func = operation_of(a).func;
    if (std::find(std::begin(one_sided_), std::end(one_sided_), func) != std::end(one_sided_))
      return false;
    const int64_t late_ns = std::max<int64_t>(0, operation_of(a).kernel_late_ns);
    for (uint32_t b = match.first_arrival; b < match.first_arrival + match.arrivals; ++b) {
      const int64_t early_ns = std::max<int64_t>(0, operation_of(b).kernel_early_ns);
      if (out_.segments[b].start_ns > finish_ns + late_ns + early_ns) return false;
    }
    return true;
  }

  void find_waits_for_launches() {
    for (size_t launch = 0; launch + 1 < out_.launch_begin.size(); ++launch) {
      const size_t begin = out_.launch_begin[launch], end = out_.launch_begin[launch + 1];
      if (end - begin < 2) continue;
      int64_t last_ns = kNoTime;
      for (size_t i = begin; i < end; ++i) {
        if (at(i).waits)
          last_ns = std::max(last_ns, out_.last_start_ns[run_.arrivals[out_.order[i]].match]);
      }
      for (size_t i = begin; i < end; ++i)
        at(i).waits_for_launch = at(i).waits && at(i).end_ns > last_ns + kSameInstantNs;
    }
  }

  bool was_over(uint32_t a, int64_t at_ns) const {
    const Segment& segment = out_.segments[a];
    const int64_t begun_ns =
        segment.waits ? out_.last_start_ns[run_.arrivals[a].match] : segment.start_ns;
    // A replay must know by then what its end depends on: of what waits for one match alone that is its last start.
    const bool depends_on_start = segment.waits && !segment.waits_for_launch;
    const int64_t later_ns = depends_on_start ? kHardlyLaterNs : kSameInstantNs;
    return segment.end_ns <= at_ns + later_ns && begun_ns < at_ns;
  }

  // What ended last on a stream, or communicator: of the launch before, of the one at hand.
  struct Line {
    uint32_t launch = kNoRow;
    uint32_t before = kNoRow, own = kNoRow;  // rows of `arrivals`
  };
  uint64_t line_of(size_t i) const {
    const OperationRow& row = operation(i);
    return row.stream != 0 ? row.stream : ~uint64_t{row.communicator};
  }
  uint32_t find_in_line(size_t i, std::unordered_map<uint64_t, Line>* lines) {
    Line& line = (*lines)[line_of(i)];
    if (line.launch != at(i).launch) {
      line.before = line.own;
      line.own = kNoRow;
      line.launch = at(i).launch;
    }
    if (line.own == kNoRow || out_.segments[line.own].end_ns < at(i).end_ns)
      line.own = out_.order[i];
    // A host runs ahead of its streams: only a kernel's start tells what it followed there.
    const bool by_kernel = run_.arrivals[out_.order[i]].basis == ArrivalBasis::KernelStart;
    return by_kernel && line.before != kNoRow && was_over(line.before, at(i).start_ns) ? line.before
                                                                                       : kNoRow;
  }

  void find_predecessors() {
    std::vector<int64_t> latest_before(out_.order.size(), kNoTime);  // end of any earlier call
    std::unordered_map<uint64_t, Line> lines;
    size_t first = 0;
    for (size_t i = 0; i < out_.order.size(); ++i) {
      Segment& segment = at(i);
      const bool is_first = i == 0 || at(i - 1).actor != segment.actor;
      if (is_first) lines.clear();
      segment.before_in_line = find_in_line(i, &lines);
      if (is_first) {
        first = i;
        continue;
      }
      latest_before[i] = std::max(latest_before[i - 1], at(i - 1).end_ns);
      int64_t end_ns = kNoTime;
      for (size_t j = i; j-- > first && i - j <= kFarthestBack;) {
        const Segment& earlier = at(j);
        if (earlier.end_ns > end_ns && was_over(out_.order[j], segment.start_ns)) {
          end_ns = earlier.end_ns;
          segment.before = out_.order[j];
        }
        if (latest_before[j] <= end_ns) break;  // nothing further back ended later
      }
      if (segment.before == kNoRow) continue;
      segment.own_ns = segment.start_ns - end_ns;
      if (segment.before == segment.before_in_line) segment.before_beside = find_beside(i, first);
    }
  }
  uint32_t find_beside(size_t i, size_t first) const {
    const uint64_t line = line_of(i);
    uint32_t latest = kNoRow;
    for (size_t j = i; j-- > first && i - j <= kFarthestBeside;) {
      const uint32_t a = out_.order[j];
      if (line_of(j) == line || !was_over(a, out_.segments[out_.order[i]].start_ns)) continue;
      if (latest == kNoRow || out_.segments[a].end_ns > out_.segments[latest].end_ns) latest = a;
    }
    return latest;
  }

  const RunTables& run_;
  const Text one_sided_[3];
  std::vector<bool> set_up_;                               // by launch
  std::unordered_map<uint32_t, int64_t> whole_finish_ns_;  // by row of `operations`
  OwnSegments out_;
};

}  // namespace

uint32_t OwnSegments::actor_of(const RunTables& run, const MemberRow& member) const {
  if (member.process == kNoRow) return kNoRow;
  return first_actor[member.process] +
         member_local[static_cast<size_t>(&member - run.members.data())];
}

uint32_t OwnSegments::actor_of(const RunTables& run, uint32_t communicator, int32_t rank) const {
  const CommunicatorRow& comm = run.communicators[communicator];
  const auto begin = run.members.begin() + comm.first_member, end = begin + comm.members;
  auto at = begin + std::min<int32_t>(std::max(rank, 0), static_cast<int32_t>(comm.members));
  if (at == end || at->rank != rank)
    at = std::find_if(begin, end, [&](const MemberRow& one) { return one.rank == rank; });
  return at == end ? kNoRow : actor_of(run, *at);
}

bool OwnSegments::was_queued(uint32_t arrival) const {
  const Segment& one = segments[arrival];
  const uint32_t before = one.before_in_line != kNoRow ? one.before_in_line : one.before;
  return before != kNoRow && one.start_ns - segments[before].end_ns <= kQueuedNs;
}

OwnSegments::Stretch OwnSegments::after_set_up() const {
  if (order.empty()) return {};
  Stretch stretch{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const uint32_t a : order) {
    if (segments[a].counts) stretch.first_ns = std::min(stretch.first_ns, segments[a].start_ns);
    stretch.last_ns = std::max(stretch.last_ns, segments[a].end_ns);
  }
  stretch.first_ns = std::min(stretch.first_ns, stretch.last_ns);
  return stretch;
}

std::vector<int32_t> OwnSegments::ranks_of(const RunTables& run, uint32_t communicator,
                                           const std::vector<uint32_t>& of_actors) const {
  std::vector<int32_t> ranks;
  const CommunicatorRow& comm = run.communicators[communicator];
  for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m) {
    const uint32_t actor = actor_of(run, run.members[m]);
    if (std::find(of_actors.begin(), of_actors.end(), actor) != of_actors.end())
      ranks.push_back(run.members[m].rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

OwnSegments find_own_segments(const RunTables& run) { return Finder(run).find(); }

}  // namespace lockstep::analysis
