#include "analysis/export/counters.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lockstep::analysis {
namespace {

constexpr double kMostMbs = 1e12;  // beyond this a recording is damaged; sums stay within 64 bits

// From changes to what they add up to.
std::vector<CounterStep> summed(std::vector<CounterStep> changes) {
  std::sort(changes.begin(), changes.end(), [](const CounterStep& a, const CounterStep& b) {
    return std::tie(a.process, a.at_ns) < std::tie(b.process, b.at_ns);
  });
  std::vector<CounterStep> steps;
  for (const CounterStep& change : changes) {
    const bool goes_on = !steps.empty() && steps.back().process == change.process;
    if (goes_on && steps.back().at_ns == change.at_ns) {
      steps.back().value += change.value;
    } else {
      steps.push_back(
          {change.process, change.at_ns, change.value + (goes_on ? steps.back().value : 0)});
    }
  }
  return steps;
}

}  // namespace

std::vector<CounterStep> operations_in_flight(const RunTables& run, const OperationSpans& spans) {
  std::vector<CounterStep> changes;
  for (const OperationRow& operation : run.operations) {
    if (operation.assembled != kNoRow || operation.state == OpState::Captured) continue;
    const OperationSpan span = spans.of(operation);
    if (span.start_ns == kNoTime) continue;
    changes.push_back({operation.process, span.start_ns, 1});
    if (span.stop_ns != kNoTime) changes.push_back({operation.process, span.stop_ns, -1});
  }
  // A hang may leave no record for minutes: viewers end where the last event is.
  for (uint32_t i = 0; i < run.processes.size(); ++i) {
    if (run.processes[i].heard_ns != kNoTime) changes.push_back({i, run.processes[i].heard_ns, 0});
  }
  return summed(std::move(changes));
}

std::vector<CounterStep> bus_bandwidth_mbs(const RunTables& run) {
  std::vector<CounterStep> changes;
  for (const ArrivalRow& arrival : run.arrivals) {
    if (arrival.operation >= run.operations.size() || arrival.finish_ns == kNoTime ||
        arrival.transfer_ns == kNoTime || !(arrival.busbw_gbs > 0))
      continue;
    const uint32_t process = run.operations[arrival.operation].process;
    const int64_t mbs = std::llround(std::min(arrival.busbw_gbs * 1000, kMostMbs));
    changes.push_back({process, arrival.finish_ns - arrival.transfer_ns, mbs});
    changes.push_back({process, arrival.finish_ns, -mbs});
  }
  return summed(std::move(changes));
}

}  // namespace lockstep::analysis
