// Whether the processes of a run directory say that they are of different jobs: two that were given
// the same LOCKSTEP_DIR are mixed in every answer. Any thread.
#pragma once

#include <string>
#include <vector>

#include "dumper/run/run_directory.h"

namespace lockstep::dumper {

// A sentence that names the jobs; empty when their launchers name one job or none.
std::string mixed_jobs(const std::vector<ProcessEntry>& processes);

}  // namespace lockstep::dumper
