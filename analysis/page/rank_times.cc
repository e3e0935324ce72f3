#include "analysis/page/rank_times.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

bool hangs(const OperationRow& op) {
  return op.state == OpState::InFlight || op.state == OpState::Aborted;
}

void add(int64_t from_ns, int64_t to_ns, std::vector<Interval>* out) {
  if (from_ns != kNoTime && to_ns != kNoTime && from_ns < to_ns) out->push_back({from_ns, to_ns});
}

// By row of `arrivals`: the longest wait for it.
std::vector<int64_t> waits_for(const RunTables& run) {
  std::vector<int64_t> longest(run.arrivals.size());
  for (const ArrivalRow& row : run.arrivals) {
    if (row.wait_ns == kNoTime || row.last_rank_row >= longest.size()) continue;
    longest[row.last_rank_row] = std::max(longest[row.last_rank_row], row.wait_ns);
  }
  return longest;
}

}  // namespace

RunSpan span_of(const RunTables& run) {
  int64_t from = kNoTime, to = kNoTime;
  for (const ProcessRow& process : run.processes) {
    if (process.first_ns == kNoTime) continue;
    from = from == kNoTime ? process.first_ns : std::min(from, process.first_ns);
    to = std::max({to, process.last_ns, process.heard_ns});
  }
  return from == kNoTime ? RunSpan() : RunSpan{from, std::max(from, to)};
}

void unite(std::vector<Interval>* intervals) {
  std::sort(intervals->begin(), intervals->end(),
            [](const Interval& a, const Interval& b) { return a.from_ns < b.from_ns; });
  size_t kept = 0;
  for (const Interval& one : *intervals) {
    if (kept != 0 && one.from_ns <= (*intervals)[kept - 1].to_ns) {
      Interval& before = (*intervals)[kept - 1];
      before.to_ns = std::max(before.to_ns, one.to_ns);
    } else {
      (*intervals)[kept++] = one;
    }
  }
  intervals->resize(kept);
}

ShownRanks::ShownRanks(const RunTables& run) : run_(run), several_(run.processes.size()) {
  for (const CommunicatorRow& row : run.communicators) largest_ = std::max(largest_, row.nranks);
  std::map<std::pair<uint32_t, uint32_t>, int> members;  // of (communicator, process)
  for (const MemberRow& row : run.members) {
    if (row.process < several_.size() && ++members[{row.communicator, row.process}] > 1)
      several_[row.process] = true;
  }
}

int32_t ShownRanks::of(const OperationRow& operation) const {
  if (operation.process >= run_.processes.size()) return -1;
  if (!several_[operation.process]) return run_.processes[operation.process].rank;
  const bool widest = operation.communicator < run_.communicators.size() &&
                      run_.communicators[operation.communicator].nranks == largest_;
  return widest ? operation.rank : -1;
}

int64_t in_flight_until(const RunTables& run, const OperationRow& operation) {
  if (operation.finish_ns != kNoTime) return operation.finish_ns;
  if (!hangs(operation)) return kNoTime;
  const ProcessRow& process = run.processes[operation.process];
  return std::max({process.last_ns, process.heard_ns, operation.last_progress_ns});
}

std::map<int32_t, RankTimes> rank_times(const RunTables& run, const RunSpan& span) {
  const ShownRanks shown(run);
  std::map<int32_t, RankTimes> ranks;
  for (const ProcessRow& process : run.processes) {
    if (process.rank < 0 || process.first_ns == kNoTime) continue;
    RankTimes& times = ranks[process.rank];
    // One record alone still is one.
    add(process.first_ns, std::max({process.first_ns + 1, process.last_ns, process.heard_ns}),
        &times.recorded);
    times.lost = times.lost || process.lost != 0;
  }
  for (const OperationRow& op : run.operations) {
    const int32_t rank = shown.of(op);
    if (rank < 0 || op.kind == OpKind::Assembled) continue;
    add(op.called_ns(), in_flight_until(run, op), &ranks[rank].busy);
  }
  const std::vector<int64_t> longest = waits_for(run);
  for (size_t i = 0; i < run.arrivals.size(); ++i) {
    const ArrivalRow& row = run.arrivals[i];
    if (row.operation >= run.operations.size() || row.arrival_ns == kNoTime) continue;
    const OperationRow& op = run.operations[row.operation];
    const int32_t rank = shown.of(op);
    if (rank < 0) continue;
    if (hangs(op)) {
      add(row.arrival_ns, in_flight_until(run, op), &ranks[rank].waiting);
    } else if (row.wait_ns != kNoTime) {
      add(row.arrival_ns, row.arrival_ns + row.wait_ns, &ranks[rank].waiting);
    }
    add(row.arrival_ns - longest[i], row.arrival_ns, &ranks[rank].caused);
  }
  // A process with several ranks recorded for all of them.
  std::vector<Interval> whole = {{span.from_ns, std::max(span.from_ns + 1, span.to_ns)}};
  for (auto& [rank, times] : ranks)
    if (times.recorded.empty()) times.recorded = whole;
  return ranks;
}

}  // namespace lockstep::analysis
