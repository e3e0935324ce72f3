// One cause is one finding: where a path is slow, or a machine has too few processors, what takes longer
// for it is no finding of its own, and where the job stands still nobody asks whether it was a little slow before. A pause
// that came once before a hang may be that of a checkpoint, which the job did not live to repeat.
// Lateness explains nothing here, for a transfer begins with the last start, but a transfer that stood still: what makes a
// rank late may hold up its threads within an operation. Pure functions.
#pragma once

#include <vector>

#include "analysis/judge/finding.h"

namespace lockstep::analysis {

// Whether it tells of a path: a link, a network adapter, a proxy thread, a GPU.
bool is_slow_path(const Finding& finding);

// Takes out of the findings what another of them explains. Asked whenever findings were added.
void drop_explained(std::vector<Finding>* findings);

}  // namespace lockstep::analysis
