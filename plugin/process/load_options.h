// What the recording tells the host's sampler.
#pragma once

#include <string>

#include "dumper/options/config.h"
#include "hostload/service/host_load.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::plugin {

// `arena_path` is empty when this process has no memory file; others of the host may.
hostload::HostLoadOptions load_options(const ArenaHeader& arena, const std::string& arena_path,
                                       const dumper::Config& config);

}  // namespace lockstep::plugin
