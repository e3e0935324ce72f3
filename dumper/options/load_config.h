// All options of a process from everywhere they can stand: environment over JSON file over a preset's
// values over defaults, one by one. Whatever is wrong (a name that is none, a value out of range, a
// file that is not there) becomes a notice for the caller to log and costs only itself: that option
// keeps its default. Called once at the plugin's start, on NCCL's thread inside somebody else's
// process, by lockstep-clockd and by the command: never throws, prints, exits or depends on the locale.
#pragma once

#include <string>
#include <vector>

#include "dumper/options/config.h"

namespace lockstep::dumper {

struct LoadedConfig {
  Config config;
  std::vector<Notice> notices;
};

// `environment` as `environ` is: NAME=value strings, ended by a null pointer.
LoadedConfig load_config(const char* const* environment);

// For a process in which lockstep stays off: the sentence that names the variables set in vain and
// how to switch it on. Empty when none is set, or when LOCKSTEP_ENABLE says that off is meant.
std::string not_enabled_notice(const char* const* environment);

}  // namespace lockstep::dumper
