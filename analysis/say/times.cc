#include "analysis/say/times.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/say/words.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Median over arrivals that are compared between hosts.
int64_t usual_error_ns(const RunTables& run) {
  std::vector<int64_t> errors;
  for (const ArrivalRow& row : run.arrivals) {
    if (row.clock_error_ns != 0) errors.push_back(row.clock_error_ns);
  }
  return median(&errors);
}

}  // namespace

int64_t widest_clock_error_ns(const RunTables& run) {
  int64_t widest = 0;
  for (const ArrivalRow& row : run.arrivals) widest = std::max(widest, row.clock_error_ns);
  return widest;
}

std::string clock_sentence(const RunTables& run) {
  std::set<Text> hosts;
  for (const ProcessRow& process : run.processes) hosts.insert(process.host);
  if (hosts.size() <= 1)
    return "Times: all processes ran on one host and read one clock, so their times compare "
           "exactly (+- 0 ns).";
  const std::string count = std::to_string(hosts.size());
  if (run.aligned)
    return "Times: aligned, " + count +
           " hosts on one clock; times of two hosts compare within +-" +
           duration(usual_error_ns(run)) + " typically, +-" + duration(widest_clock_error_ns(run)) +
           " at worst (guaranteed).";
  return "Times: not aligned. The clocks of the " + count +
         " hosts cannot all be compared, so waits are known within each host only; `lockstep "
         "align` says why.";
}

std::string gpu_times_sentence(const RunTables& run) {
  std::vector<int64_t> early, late;
  uint64_t unbounded = 0;
  for (const OperationRow& row : run.operations) {
    if (row.kernel_start_ns == kNoTime || row.kind == OpKind::Assembled) continue;
    if (row.kernel_early_ns == kNoTime) {
      ++unbounded;
    } else {
      early.push_back(row.kernel_early_ns);
      late.push_back(row.kernel_late_ns);
    }
  }
  std::string text;
  if (!early.empty())
    text = "GPU times of " + counted(early.size(), "operation") + ": true times lie within -" +
           duration(median(&early)) + "/+" + duration(median(&late)) +
           " on the host's clock (guaranteed; median).";
  if (unbounded != 0)
    text += (text.empty() ? "GPU times of " : " Those of ") +
            counted(unbounded, text.empty() ? "operation" : "more operation") +
            " are estimates without a bound: their launches were not recorded.";
  return text;
}

}  // namespace lockstep::analysis
