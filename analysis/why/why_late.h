// Why the accused of one finding were late: whatever took at least half of the time that they were
// late, in the very windows in which they were, and that the others on their hosts did not have at the same
// time. Pure; reads the samples.
#pragma once

#include <set>
#include <vector>

#include "analysis/why/load_samples.h"

namespace lockstep::analysis {

struct LateAnswer {
  WhyFacts facts;
  // Its host has too few processors for all that runs there: nobody is to blame.
  bool machine = false;
  // How far waiting for a processor may explain the lateness besides, on a host that has too few.
  double doubt = 0;
  int64_t wait_ns = 0, late_ns = 0;  // what was waited for a processor, of the lateness sampled
};

struct AllLateness {
  std::set<uint32_t> accused;      // processes of all findings: no measure of what is usual
  std::vector<int64_t> excess_ns;  // by process, over the run
};

// windows: the finding's.
LateAnswer why_late(const RunTables& run, const Finding& straggler,
                    const std::vector<LateWindow>& windows, const AllLateness& all,
                    const LoadSamples& samples);

}  // namespace lockstep::analysis
