// Ranks of a run that nobody could arm: their process has ended without finishing its recording, or its
// host could not be asked. The run's files tell of them. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/capture/job_look.h"
#include "dumper/run/capture_file.h"

namespace lockstep::cli {

// Adds them, and numbers the ranks that the capture has without a number. A rank that another process of
// the run has taken over is not absent. `looks` has the processes
// that are there, silent ones as well; `hosts_heard` the hosts that said so.
void add_absent_ranks(const std::string& run, const std::vector<ProcessLook>& looks,
                      const CaptureScope& scope, const std::set<std::string>& hosts_heard,
                      dumper::Capture* capture);

}  // namespace lockstep::cli
