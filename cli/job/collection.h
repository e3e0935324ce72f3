// Moves this node's recordings from its own disk into the run directory that all nodes see, for
// `lockstep collect`, `lockstep run --node-local` and `lockstep finish`. Recovers first what killed
// processes left, so that it comes along; may be interrupted at any point and called again. A host
// directory arrives as one.
#pragma once

#include <string>

#include "lockstep/status.h"

namespace lockstep::cli {

// The result is a sentence on what was moved; that there is nothing is not an error: another call
// may have moved it, or no process of the run was on this node.
Result<std::string> collect_recordings(const std::string& local, const std::string& directory);

}  // namespace lockstep::cli
