#include "cli/capture/next_step.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/load/run.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kLookBackNs = 60'000'000'000;

}  // namespace

Result<uint64_t> next_step(const std::string& run, double arming_s) {
  analysis::LoadOptions load;
  load.selection.last_ns = kLookBackNs;
  const auto tables = analysis::load_run(run, load);
  if (!tables.ok()) return tables.status();
  const auto& steps = tables.value()->rank_steps;
  if (steps.empty())
    return Status::error(run +
                         ": no process has marked a step in the last minute; --operations counts "
                         "collectives instead");
  const auto last = std::max_element(steps.begin(), steps.end(),
                                     [](const auto& a, const auto& b) { return a.step < b.step; });
  std::vector<int64_t> lengths_ns;
  for (const analysis::MarkedStepRow& step : steps) {
    if (step.start_ns != analysis::kNoTime && step.finish_ns > step.start_ns)
      lengths_ns.push_back(step.finish_ns - step.start_ns);
  }
  std::sort(lengths_ns.begin(), lengths_ns.end());
  const int64_t median_ns = lengths_ns.empty() ? kLookBackNs : lengths_ns[lengths_ns.size() / 2];
  const double ahead = std::ceil(arming_s * 1e9 / static_cast<double>(median_ns));
  return last->step + 1 + static_cast<uint64_t>(ahead);
}

}  // namespace lockstep::cli
