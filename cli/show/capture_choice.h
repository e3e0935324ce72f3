// --capture ID: the part of a run that a capture is about. One thread.
#pragma once

#include <string>

#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// Of each process the time between its own beginning and end of the capture; of one that did not begin,
// the time of the others. `directory` is the run, and becomes the capture's copies where it has some
// (--last). The error: there is no such capture, or nobody began.
Result<dumper::Selection> capture_selection(const std::string& id, std::string* directory);

}  // namespace lockstep::cli
