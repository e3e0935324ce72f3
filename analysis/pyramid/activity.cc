#include "analysis/pyramid/activity.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

void add(int64_t from_ns, int64_t to_ns, TimeSpans* to) {
  if (from_ns != kNoTime && to_ns > from_ns) to->push_back({from_ns, to_ns});
}

// Mostly they are in order: a rank's operations are.
void sort_spans(TimeSpans* spans) {
  const auto earlier = [](const TimeSpan& a, const TimeSpan& b) { return a.from_ns < b.from_ns; };
  if (!std::is_sorted(spans->begin(), spans->end(), earlier))
    std::sort(spans->begin(), spans->end(), earlier);
}

constexpr int64_t kOnItsWayNs = 2'000'000'000;
// What has all its ranks and has not moved for so long is no transfer any more.
constexpr int64_t kStalledNs = 2'000'000'000;

int64_t heard_of(const ProcessRow& process) { return std::max(process.last_ns, process.heard_ns); }

template <typename Row>
class ActivityMaker {
 public:
  ActivityMaker(const RunTables& run, const RunTime& time)
      : run_(run),
        operations_(operations_of<Row>(run)),
        arrivals_(arrivals_of<Row>(run)),
        time_(time) {}

  Activity make() {
    make_lanes();
    for (const Row& row : operations_) add_busy(row);
    for (const MatchRow& match : run_.matches) add_waits(match);
    for (size_t i = 0; i < activity_.lanes.size(); ++i) {
      Lane& lane = activity_.lanes[i];
      lane.waiting = united(waits_[i]);
      sort_spans(&waits_[i]);
      lane.waits = SpanSearch(std::move(waits_[i]));
      for (TimeSpans* spans : {&lane.busy, &lane.caused, &lane.recorded})
        *spans = united(std::move(*spans));
    }
    return std::move(activity_);
  }

 private:
  void make_lanes() {
    std::map<int32_t, size_t> numbers;
    for (const ProcessRow& process : run_.processes)
      if (process.rank >= 0) numbers.emplace(process.rank, 0);
    for (auto& [rank, number] : numbers) {
      number = activity_.lanes.size();
      activity_.lanes.emplace_back();
      activity_.lanes.back().rank = rank;
    }
    for (uint32_t i = 0; i < run_.processes.size(); ++i) {
      const ProcessRow& process = run_.processes[i];
      lanes_.push_back(process.rank < 0 ? kNoRow : static_cast<uint32_t>(numbers[process.rank]));
      if (process.rank >= 0) add_process(i, &activity_.lanes[lanes_.back()]);
    }
    waits_.resize(activity_.lanes.size());
    make_room();
    add_communicators();
  }

  // For spans of as many operations as ranks have on average, and some more: a page that is not used costs nothing.
  void make_room() {
    const size_t rows = operations_.size() / std::max<size_t>(activity_.lanes.size(), 1);
    for (Lane& lane : activity_.lanes) lane.busy.reserve(rows + rows / 8);
    for (TimeSpans& waits : waits_) waits.reserve(rows + rows / 8);
  }

  void add_process(uint32_t number, Lane* lane) {
    const ProcessRow& process = run_.processes[number];
    const int64_t end_ns = time_.at(number, heard_of(process));
    lane->host = run_.text(process.host);
    lane->lost = lane->lost || process.lost != 0 || process.damaged_chunks != 0;
    add(time_.at(number, process.first_ns), end_ns, &lane->recorded);
    if (end_ns != kNoTime) activity_.length_ns = std::max(activity_.length_ns, end_ns);
  }

  void add_communicators() {
    std::vector<uint32_t> order(run_.communicators.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return run_.communicators[a].nranks > run_.communicators[b].nranks;
    });
    for (const uint32_t number : order) {
      const CommunicatorRow& row = run_.communicators[number];
      const std::string label = communicator_label(run_, number);
      for (uint32_t i = 0; i < row.members; ++i) {
        const uint32_t process = run_.members[row.first_member + i].process;
        if (process >= lanes_.size() || lanes_[process] == kNoRow) continue;
        std::vector<std::string>& labels = activity_.lanes[lanes_[process]].communicators;
        if (labels.empty() || labels.back() != label) labels.push_back(label);
      }
    }
  }

  Lane* lane_of(uint32_t process) {
    const uint32_t number = process < lanes_.size() ? lanes_[process] : kNoRow;
    return number == kNoRow ? nullptr : &activity_.lanes[number];
  }
  TimeSpans* waits_of(uint32_t process) {
    const uint32_t number = process < lanes_.size() ? lanes_[process] : kNoRow;
    return number == kNoRow ? nullptr : &waits_[number];
  }

  void add_busy(const BriefOperation& row) {
    Lane* lane = lane_of(row.process);
    if (lane == nullptr || row.state == OpState::Captured) return;
    add(time_.at(row.process, row.called_ns()), time_.at(row.process, end_of(row)), &lane->busy);
  }

  // One in flight goes on as long as its process is heard, an aborted one as long as its communicator; of
  // others that did not end counts the last thing known.
  int64_t end_of(const BriefOperation& row) const {
    if (row.finish_ns != kNoTime) return row.finish_ns;
    if (row.state == OpState::InFlight) return heard_of(run_.processes[row.process]);
    const int64_t known_ns = std::max({row.last_progress_ns, row.enqueue_ns, row.api_stop_ns});
    return row.state == OpState::Aborted ? std::max(known_ns, finalized_ns(row)) : known_ns;
  }

  int64_t finalized_ns(const BriefOperation& operation) const {
    if (operation.communicator >= run_.communicators.size()) return kNoTime;
    const CommunicatorRow& row = run_.communicators[operation.communicator];
    for (uint32_t i = 0; i < row.members; ++i) {
      const MemberRow& member = run_.members[row.first_member + i];
      if (member.process == operation.process) return member.finalize_ns;
    }
    return kNoTime;
  }

  // Of each last arriver one span: from the first who waited for it until it came.
  void add_waits(const MatchRow& match) {
    if (match.arrivals < match.expected) {
      add_endless_waits(match);
    } else {
      add_stalled_waits(match);
    }
    std::map<uint32_t, TimeSpan> caused;  // by row in `arrivals`
    auto last = caused.end();             // mostly there is one
    for (uint32_t i = 0; i < match.arrivals; ++i) {
      const BriefArrival& arrival = arrivals_[match.first_arrival + i];
      if (arrival.wait_ns <= 0 || arrival.last_rank_row == kNoRow || is_endless(match, arrival))
        continue;
      const int64_t from_ns = time_.at(arrival.process, arrival.arrival_ns);
      const int64_t to_ns = from_ns + arrival.wait_ns;
      if (TimeSpans* waits = waits_of(arrival.process)) add(from_ns, to_ns, waits);
      if (last == caused.end() || last->first != arrival.last_rank_row)
        last = caused.emplace(arrival.last_rank_row, TimeSpan{from_ns, to_ns}).first;
      TimeSpan& span = last->second;
      span.from_ns = std::min(span.from_ns, from_ns);
      span.to_ns = std::max(span.to_ns, to_ns);
    }
    for (const auto& [row, span] : caused) {
      if (Lane* lane = lane_of(arrivals_[row].process))
        add(span.from_ns, span.to_ns, &lane->caused);
    }
  }

  static bool has_no_end(const BriefOperation& row) {
    return row.finish_ns == kNoTime &&
           (row.state == OpState::InFlight || row.state == OpState::Aborted);
  }

  // It waits for one that never came.
  bool is_endless(const MatchRow& match, const BriefArrival& arrival) const {
    return match.arrivals < match.expected && has_no_end(operations_[arrival.operation]);
  }

  // All came, and it never ended: a deadlock, a stuck GPU or network. They wait from when it moved last, and the operation
  // does not tell for whom.
  void add_stalled_waits(const MatchRow& match) {
    if (match.expected < 2) return;
    int64_t since_ns = kNoTime;
    for (uint32_t i = 0; i < match.arrivals; ++i) {
      const BriefArrival& arrival = arrivals_[match.first_arrival + i];
      const BriefOperation& row = operations_[arrival.operation];
      for (const int64_t ns : {arrival.arrival_ns, row.last_progress_ns, row.finish_ns})
        since_ns = std::max(since_ns, time_.at(row.process, ns));
    }
    for (uint32_t i = 0; i < match.arrivals && since_ns != kNoTime; ++i) {
      const BriefOperation& row = operations_[arrivals_[match.first_arrival + i].operation];
      const int64_t end_ns = time_.at(row.process, end_of(row));
      if (!has_no_end(row) || end_ns == kNoTime || end_ns - since_ns < kStalledNs) continue;
      if (TimeSpans* waits = waits_of(row.process)) add(since_ns, end_ns, waits);
    }
  }

  // Processes write down what they have one after another: the last calls of one that goes on may not be in the recording
  // yet where those of others are.
  bool is_on_its_way(uint32_t process, const TimeSpan& wait) const {
    const Life life = run_.processes[process].life;
    return (life == Life::Running || life == Life::Unknown) &&
           wait.to_ns - wait.from_ns < kOnItsWayNs;
  }

  void add_endless_waits(const MatchRow& match) {
    TimeSpan all{std::numeric_limits<int64_t>::max(), 0};
    std::set<uint32_t> came;                           // processes
    std::vector<std::pair<uint32_t, TimeSpan>> waits;  // by process
    bool open = false;                                 // none of them was given up
    int32_t peer = -1;
    for (uint32_t i = 0; i < match.arrivals; ++i) {
      const BriefArrival& arrival = arrivals_[match.first_arrival + i];
      const BriefOperation& row = operations_[arrival.operation];
      came.insert(row.process);
      peer = row.peer;
      if (!is_endless(match, arrival) || arrival.arrival_ns == kNoTime) continue;
      const TimeSpan span{time_.at(row.process, arrival.arrival_ns),
                          time_.at(row.process, end_of(row))};
      waits.emplace_back(row.process, span);
      open = open || row.state == OpState::InFlight;
      all = {std::min(all.from_ns, span.from_ns), std::max(all.to_ns, span.to_ns)};
    }
    if (match.communicator >= run_.communicators.size()) return;
    const std::vector<uint32_t> missing = missing_in(match, came, peer);
    if (open && std::any_of(missing.begin(), missing.end(),
                            [&](uint32_t process) { return is_on_its_way(process, all); }))
      return;
    for (const auto& [process, span] : waits) {
      if (TimeSpans* of_process = waits_of(process)) add(span.from_ns, span.to_ns, of_process);
    }
    for (const uint32_t process : missing) {
      if (Lane* lane = lane_of(process)) add(all.from_ns, all.to_ns, &lane->caused);
    }
  }

  std::vector<uint32_t> missing_in(const MatchRow& match, const std::set<uint32_t>& came,
                                   int32_t peer) const {
    std::vector<uint32_t> missing;
    const CommunicatorRow& row = run_.communicators[match.communicator];
    const bool all_ranks = match.expected == static_cast<uint32_t>(row.nranks);
    for (uint32_t i = 0; i < row.members; ++i) {
      const MemberRow& member = run_.members[row.first_member + i];
      if (came.count(member.process) == 0 && (all_ranks || member.rank == peer))
        missing.push_back(member.process);
    }
    return missing;
  }

  const RunTables& run_;
  const std::vector<Row>& operations_;
  const std::vector<ArrivalOf<Row>>& arrivals_;
  const RunTime& time_;
  Activity activity_;
  std::vector<uint32_t> lanes_;   // by process; kNoRow: it has no rank
  std::vector<TimeSpans> waits_;  // by lane
};

}  // namespace

TimeSpans united(TimeSpans spans) {
  sort_spans(&spans);
  size_t united = 0;
  for (const TimeSpan& span : spans) {
    if (united != 0 && span.from_ns <= spans[united - 1].to_ns) {
      spans[united - 1].to_ns = std::max(spans[united - 1].to_ns, span.to_ns);
    } else {
      spans[united++] = span;
    }
  }
  spans.resize(united);
  return spans;
}

template <typename Row>
Activity activity_of(const RunTables& run, const RunTime& time) {
  return ActivityMaker<Row>(run, time).make();
}
template Activity activity_of<OperationRow>(const RunTables& run, const RunTime& time);
template Activity activity_of<BriefOperation>(const RunTables& run, const RunTime& time);

}  // namespace lockstep::analysis
