#include "analysis/late_operations.h"

#include <algorithm>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

int64_t median(std::vector<int64_t>* values) {
  if (values->empty()) return 0;
  auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// Nothing below this is worth a word: clock reads, cache misses and interrupts alone scatter by so
// much.
constexpr int64_t kLeastExcessNs = 50'000;

class LateFinder {
 public:
  explicit LateFinder(const RunTables& run) : run_(run) {}

  std::vector<LateOperation> find() {
    for (size_t m = 0; m < run_.matches.size(); ++m) note_scatter(run_.matches[m]);
    for (auto& [communicator, values] : scatters_) noise_[communicator] = median(&values);
    std::vector<LateOperation> late;
    for (size_t m = 0; m < run_.matches.size(); ++m) {
      LateOperation one;
      one.match = one.origin = static_cast<uint32_t>(m);
      if (!worth_looking(run_.matches[m]) || !measure(run_.matches[m], &one)) continue;
      late_at_[one.match] = static_cast<uint32_t>(late.size());
      late.push_back(one);
    }
    for (LateOperation& one : late) find_origin(&one, late);
    return late;
  }

 private:
  bool worth_looking(const MatchRow& match) const {
    // Its whole is looked at.
    if (run_.operations[run_.arrivals[match.first_arrival].operation].assembled != kNoRow)
      return false;
    // The first operation of a communicator sets up its connections (hazard 39).
    return match.comparable != 0 && match.arrivals > 1 && match.last_rank >= 0 &&
           match.ordinal + match.replay != 0;
  }

  // What the ranks other than the last one scatter by, or of a pair the smaller half of its
  // differences.
  void note_scatter(const MatchRow& match) {
    if (!worth_looking(match)) return;
    int64_t first = 0, second = kNoTime, last = kNoTime;
    bool any = false;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const int64_t at = run_.arrivals[i].arrival_ns;
      if (at == kNoTime) continue;
      first = any ? std::min(first, at) : at;
      any = true;
      if (at > last) {
        second = last;
        last = at;
      } else {
        second = std::max(second, at);
      }
    }
    if (second == kNoTime) return;
    scatters_[match.communicator].push_back(match.arrivals > 2 ? second - first
                                                               : (last - first) / 2);
  }

  // The arrivals of all ranks but the last one.
  bool measure(const MatchRow& match, LateOperation* one) {
    const ArrivalRow* last = nullptr;
    std::vector<int64_t> others, calls, gaps;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const ArrivalRow& a = run_.arrivals[i];
      if (a.last != 0) {
        last = &a;
        one->arrival = i;
        continue;
      }
      if (a.arrival_ns == kNoTime) continue;
      others.push_back(a.arrival_ns);
      one->caused_wait_ns += std::max<int64_t>(0, a.wait_ns);
      const OperationRow& row = run_.operations[a.operation];
      if (call_of(row) != kNoTime) calls.push_back(call_of(row));
      if (const int64_t before = previous_finish(a.operation, a.arrival_ns); before != kNoTime)
        gaps.push_back(before);
    }
    if (last == nullptr || others.empty()) return false;
    one->excess_ns = last->arrival_ns - median(&others);
    const int64_t threshold =
        std::max({kLeastExcessNs, 2 * noise_[match.communicator], 2 * last->clock_error_ns});
    if (one->excess_ns < threshold) return false;
    const OperationRow& row = run_.operations[last->operation];
    const int64_t before = previous_finish(last->operation, last->arrival_ns);
    if (before != kNoTime && !gaps.empty()) {
      one->inherited_ns = std::max<int64_t>(0, before - median(&gaps));
    }
    one->cause = Cause::Unknown;
    if (call_of(row) != kNoTime && !calls.empty()) {
      const int64_t call_excess = call_of(row) - median(&calls);
      if (call_excess * 10 >= one->excess_ns * 6) {
        one->cause = Cause::HostLate;
      } else if (last->basis == ArrivalBasis::KernelStart) {
        one->cause = Cause::GpuLate;
      } else if (row.proxy_lag_ns * 10 >= one->excess_ns * 6) {
        one->cause = Cause::ProxyStarved;
      }
    }
    return true;
  }
  static int64_t call_of(const OperationRow& row) {
    return row.replay == 0 && row.api_start_ns != kNoTime ? row.api_start_ns : row.enqueue_ns;
  }

  // When this process's last operation before that moment ended, whatever its communicator.
  int64_t previous_finish(uint32_t operation, int64_t before_ns) const {
    constexpr uint32_t kLookBack = 8;
    int64_t latest = kNoTime;
    for (uint32_t i = 1; i <= kLookBack && i <= operation; ++i) {
      const OperationRow& row = run_.operations[operation - i];
      if (row.process != run_.operations[operation].process) break;
      const int64_t end = end_of(row);
      if (end != kNoTime && end <= before_ns) latest = std::max(latest, end);
    }
    return latest;
  }
  uint32_t previous_match(uint32_t operation, int64_t finish_ns) const {
    for (uint32_t i = 1; i <= 8 && i <= operation; ++i) {
      const OperationRow& row = run_.operations[operation - i];
      if (row.process != run_.operations[operation].process) break;
      if (end_of(row) == finish_ns) return row.match;
    }
    return kNoRow;
  }
  static int64_t end_of(const OperationRow& row) {
    return row.kernel_stop_ns != kNoTime ? row.kernel_stop_ns : row.finish_ns;
  }

  // Walks back while most of the lateness came with the end of the operation before.
  void find_origin(LateOperation* one, const std::vector<LateOperation>& late) const {
    if (one->inherited_ns * 2 < one->excess_ns) return;
    const LateOperation* at = one;
    for (int steps = 0; steps < 64; ++steps) {
      const ArrivalRow& arrival = run_.arrivals[at->arrival];
      const int64_t before = previous_finish(arrival.operation, arrival.arrival_ns);
      const uint32_t match = previous_match(arrival.operation, before);
      if (match == kNoRow) break;
      one->origin = match;
      const auto earlier = late_at_.find(match);
      if (earlier == late_at_.end()) {
        one->cause = Cause::Unknown;  // its transfer took longer there; the network half of blame
                                      // may know why
        return;
      }
      at = &late[earlier->second];
      one->cause = at->cause;
      if (at->inherited_ns * 2 < at->excess_ns) return;
    }
  }

  const RunTables& run_;
  std::unordered_map<uint32_t, std::vector<int64_t>> scatters_;
  std::unordered_map<uint32_t, int64_t> noise_;
  std::unordered_map<uint32_t, uint32_t> late_at_;
};

}  // namespace

std::vector<LateOperation> find_late_operations(const RunTables& run) {
  return LateFinder(run).find();
}

}  // namespace lockstep::analysis
