// Where a process's files go: LOCKSTEP_DIR with its patterns replaced by what the launcher says
// about the job. All ranks of a job must arrive at the same folder without talking to each other,
// so only the job's own variables count. Called once at the plugin's start and by the command.
// Creates nothing.
#pragma once

#include <string>
#include <string_view>

#include "dumper/options/config.h"

namespace lockstep::dumper {

// What the patterns stand for; every value is safe as a part of a file name.
struct ProcessNames {
  std::string host;  // %h: LOCKSTEP_HOST, else the machine's
  std::string pid;   // %p
  // %r: the launcher's (base/launcher.h); `p` and the process id without one
  std::string rank;
  // %j: the launcher's, else master address and port; may be empty
  std::string job;
};
ProcessNames process_names(const Config& config, const char* const* environment);

// As given when there is no pattern; %% is a percent sign. Empty pattern: lockstep-%j, or
// lockstep-%h-%p without a job.
std::string expand_directory(std::string_view pattern, const ProcessNames& names);

}  // namespace lockstep::dumper
