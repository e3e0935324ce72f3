// `lockstep capture --last 30s`: what the processes have recorded already is copied into the capture's own
// folder, where no disk budget deletes it. Nothing is switched. One thread.
#pragma once

#include <string>

#include "cli/capture/job_look.h"
#include "cli/live/live_arguments.h"
#include "dumper/run/capture_file.h"

namespace lockstep::cli {

struct PastTerms {
  std::string run;
  int64_t last_ns = 0;
  uint64_t max_bytes = 0;  // of a host's part
};

// Fills in the capture's ranks, bytes and events. `answers` tells of everybody. The error: the folder
// cannot be made, or nobody has anything of that time.
Status keep_past(const PastTerms& terms, const live::Targets& targets,
                 const LiveArguments& arguments, dumper::Capture* capture, live::Answers* answers);

}  // namespace lockstep::cli
