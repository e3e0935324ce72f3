#include "analysis/report/gpu_times_text.h"

#include <vector>

#include "analysis/report/report_text.h"
#include "base/quantile.h"

namespace lockstep::analysis {
std::string gpu_times_sentence(const RunTables& run) {
  std::vector<int64_t> early, late;
  uint64_t unbounded = 0, suspect = 0;
  for (const OperationRow& row : run.operations) {
    suspect += (row.flags & kSuspectGpuTime) != 0;
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
    text = "GPU times of " + std::to_string(early.size()) + " operations: the truth is at most " +
           duration_text(median(&early)) + " earlier or " + duration_text(median(&late)) +
           " later on the host's clock (guaranteed; median).";
  if (unbounded != 0)
    text += (text.empty() ? "GPU times of " : " Those of ") + std::to_string(unbounded) +
            " operations are estimates without a bound, their launches were not recorded.";
  if (!text.empty() && suspect != 0)
    text += " " + std::to_string(suspect) + " more contradict the host's and are not used.";
  return text;
}

}  // namespace lockstep::analysis
