// Leaves of a process only what a command asked for: the operations that took place in a span of time
// on some communicators. Used by load_process(); before the run is put together.
#pragma once

#include "analysis/join/loaded_process.h"
#include "dumper/run/selection.h"

namespace lockstep::analysis {

// An operation took place from its call until the last thing known of it, or for ever while it has not
// ended.
void keep_rows(dumper::RawSpan span, const dumper::Selection& selection, LoadedProcess* process);

}  // namespace lockstep::analysis
