#include "analysis/waits/odd_runs.h"

#include <map>
#include <set>
#include <tuple>

namespace lockstep::analysis {
namespace {

// So many runs, counted from the last, may have been called after the odd one, by a process that is ahead of its GPU.
constexpr size_t kLastRuns = 64;
// Between the same two others it must have been called so many times, in as few different numbers.
constexpr size_t kOften = 4, kFewLengths = 2;

using Repeated = std::tuple<uint32_t, Text>;  // communicator, function
struct CallsInARow {
  Repeated call;
  uint32_t times = 0;
};

bool is_odd(const std::vector<CallsInARow>& rows, size_t i) {
  size_t often = 0;
  std::set<uint32_t> lengths;
  for (size_t other = 1; other + 1 < rows.size(); ++other) {
    if (other == i || rows[other].call != rows[i].call ||
        rows[other - 1].call != rows[i - 1].call || rows[other + 1].call != rows[i + 1].call)
      continue;
    ++often;
    lengths.insert(rows[other].times);
  }
  return often >= kOften && lengths.size() <= kFewLengths && lengths.count(rows[i].times) == 0;
}

// The last may not have been called as often as it would be.
bool any_odd(const std::vector<CallsInARow>& rows) {
  for (size_t back = 2; back <= kLastRuns && back < rows.size(); ++back) {
    if (is_odd(rows, rows.size() - back)) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> last_runs_odd(const RunTables& run) {
  std::vector<std::vector<CallsInARow>> rows(run.processes.size());
  for (const OperationRow& row : run.operations) {
    if (row.position == kNoRow || row.replay > 1) continue;  // no collective, or called once
    const Repeated call{row.communicator, row.func};
    std::vector<CallsInARow>& own = rows[row.process];
    if (own.empty() || own.back().call != call) own.push_back({call, 0});
    ++own.back().times;
  }
  std::vector<bool> odd;
  for (const std::vector<CallsInARow>& own : rows) odd.push_back(any_odd(own));
  return odd;
}

}  // namespace lockstep::analysis
