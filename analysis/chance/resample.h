// Whether a sum over the parts of a run hangs on a few of them: the run is put together anew from
// blocks of its own parts (block bootstrap), with a fixed seed, so that one recording has one answer.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// gains_ns: of each part, a training step or a launch, in the order of time. Share of the resampled
// runs, each as long as the given one, that gain at least so much: 0 to 1.
double share_that_keeps(const std::vector<int64_t>& gains_ns, double least_ns);

}  // namespace lockstep::analysis
