// Where files about a run lie that are made after it: in a folder of the run directory, or where that
// cannot be written in a folder of the user's cache ($XDG_CACHE_HOME, ~/.cache) that belongs to that run.
#pragma once

#include <string>

#include "lockstep/status.h"

namespace lockstep::serve {

// The folder, made with mode 0700. `run` is an absolute path.
Result<std::string> place_beside(const std::string& run, const std::string& name);
// Its second half, for what is no run's: `owner` is any text.
Result<std::string> place_in_cache(const std::string& owner, const std::string& name);
// Where it would be, first the run's own; nothing is made.
std::string own_place(const std::string& run, const std::string& name);
std::string cache_place(const std::string& run, const std::string& name);

}  // namespace lockstep::serve
