#include "analysis/relate/marked_steps.h"

#include <algorithm>
#include <vector>

namespace lockstep::analysis {
namespace {

// The steps of one process, by time.
class ProcessSteps {
 public:
  // A step whose beginning is not known has all that came before its end, if it is the first.
  void add(const MarkedStepRow& row) {
    if (row.start_ns != kNoTime || rows_.empty()) rows_.push_back(&row);
  }

  // kNoRow: between steps, or a number that no table can hold.
  uint32_t at(int64_t ns) const {
    const auto after = std::upper_bound(
        rows_.begin(), rows_.end(), ns,
        [](int64_t at_ns, const MarkedStepRow* row) { return at_ns < row->start_ns; });
    if (after == rows_.begin()) return kNoRow;
    const MarkedStepRow& row = **(after - 1);
    if (row.finish_ns != kNoTime && ns > row.finish_ns) return kNoRow;
    return row.step < kNoRow ? static_cast<uint32_t>(row.step) : kNoRow;
  }

 private:
  static_assert(kNoTime < 0, "an unknown beginning sorts first");

  std::vector<const MarkedStepRow*> rows_;
};

}  // namespace

bool number_marked_steps(RunTables* run) {
  if (run->rank_steps.empty()) return false;
  std::vector<ProcessSteps> steps(run->processes.size());
  for (const MarkedStepRow& row : run->rank_steps) steps[row.process].add(row);
  for (OperationRow& row : run->operations) {
    const int64_t called_ns = row.called_ns();
    if (called_ns != kNoTime) row.step = steps[row.process].at(called_ns);
    if (row.step == kNoRow || row.match == kNoRow) continue;
    uint32_t& step = run->matches[row.match].step;
    if (step == kNoRow) step = row.step;
  }
  return true;
}

void number_operations_by_match(RunTables* run) {
  std::vector<bool> marks(run->processes.size());
  for (const MarkedStepRow& row : run->rank_steps) marks[row.process] = true;
  for (OperationRow& row : run->operations) {
    if (!marks[row.process] && row.match != kNoRow) row.step = run->matches[row.match].step;
  }
}

}  // namespace lockstep::analysis
