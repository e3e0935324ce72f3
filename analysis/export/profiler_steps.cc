#include "analysis/export/profiler_steps.h"

#include <algorithm>
#include <map>

namespace lockstep::analysis {
namespace {

// A step that began before the recording begins with it; one that did not end in it ends with it.
std::vector<ProfilerStep> marked_steps(const RunTables& run, uint32_t process) {
  std::vector<ProfilerStep> steps;
  const auto before = [](const MarkedStepRow& row, uint32_t wanted) {
    return row.process < wanted;
  };
  auto row = std::lower_bound(run.rank_steps.begin(), run.rank_steps.end(), process, before);
  for (; row != run.rank_steps.end() && row->process == process; ++row) {
    const ProcessRow& recorded = run.processes[process];
    const int64_t start_ns = row->start_ns != kNoTime ? row->start_ns : recorded.first_ns;
    const int64_t stop_ns = row->finish_ns != kNoTime ? row->finish_ns : recorded.last_ns;
    if (start_ns != kNoTime && start_ns < stop_ns)
      steps.push_back({row->step, start_ns, stop_ns, row->tid});
  }
  return steps;
}

// Of the thread with the most of them: what one thread calls never runs across a step's end.
std::vector<const OperationRow*> numbered_calls(const RunTables& run,
                                                const std::vector<uint32_t>& operations) {
  std::map<uint32_t, std::vector<const OperationRow*>> threads;
  for (const uint32_t index : operations) {
    const OperationRow& row = run.operations[index];
    if (row.step != kNoRow && row.called_ns() != kNoTime) threads[row.tid].push_back(&row);
  }
  std::vector<const OperationRow*> calls;
  for (auto& [tid, own] : threads) {
    if (own.size() > calls.size()) calls.swap(own);
  }
  std::stable_sort(calls.begin(), calls.end(), [](const OperationRow* a, const OperationRow* b) {
    return a->called_ns() < b->called_ns();
  });
  return calls;
}

std::vector<ProfilerStep> found_steps(const RunTables& run,
                                      const std::vector<uint32_t>& operations) {
  std::vector<ProfilerStep> steps;
  for (const OperationRow* call : numbered_calls(run, operations)) {
    const int64_t called_ns = call->called_ns();
    if (steps.empty() || call->step > steps.back().number) {
      if (!steps.empty()) steps.back().stop_ns = called_ns;
      steps.push_back({call->step, called_ns, called_ns, call->tid});
    }
    steps.back().stop_ns = std::max({steps.back().stop_ns, call->api_stop_ns, call->finish_ns});
  }
  return steps;
}

}  // namespace

std::vector<ProfilerStep> profiler_steps(const RunTables& run, uint32_t process,
                                         const std::vector<uint32_t>& operations) {
  std::vector<ProfilerStep> steps = marked_steps(run, process);
  return steps.empty() ? found_steps(run, operations) : steps;
}

}  // namespace lockstep::analysis
