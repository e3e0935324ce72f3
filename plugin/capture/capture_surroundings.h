// What a capture asks of a real recording: the positions of its communicators, what it costs, its
// clock. The functions are called on the control socket's and the keeper's thread.
#pragma once

#include "dumper/drain/dump_thread.h"
#include "dumper/drain/overhead.h"
#include "dumper/feeds/comm_progress.h"
#include "plugin/capture/capture.h"
#include "plugin/record/arena.h"

namespace lockstep::plugin {

// All outlive the functions.
struct CaptureParts {
  dumper::DumpThread& dump;
  const dumper::Overhead& overhead;
  dumper::CommProgress& progress;
  const Arena& arena;
};

CaptureSurroundings capture_surroundings(const CaptureParts& parts);

}  // namespace lockstep::plugin
