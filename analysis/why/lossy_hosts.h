// Hosts whose TCP has to send much again, which network steps do not show: NCCL's sockets take data as
// fast as the kernel buffers it, and in a ring everybody is as slow as the worst link. Pure.
#pragma once

#include <vector>

#include "analysis/why/load_samples.h"

namespace lockstep::analysis {

// One finding of kind SlowLink for each host that sends at least 1 % of its segments again, ten times what
// any other host does, where the operations' data may have gone by TCP.
std::vector<Finding> find_lossy_hosts(const RunTables& run, const LoadSamples& samples);

}  // namespace lockstep::analysis
