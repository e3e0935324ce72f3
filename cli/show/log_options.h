// --logs and --logs-zone, the same on every command that shows a job's logs among its operations, and the folder of a run
// whose logs are always shown.
#pragma once

#include <string>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "base/command_line.h"
#include "lockstep/status.h"

namespace lockstep::cli {

struct LogArguments {
  std::vector<std::string> patterns;
  std::string zone;

  // `this` outlives the parsing.
  void add_to(base::Command* command);
  // The error is wrong usage: which option, and what it takes.
  Status check() const;
  // Those that were named, and those in RUN/logs. The error says which file is wrong.
  Status read(const std::string& run_directory, analysis::RunTables* run) const;
};

}  // namespace lockstep::cli
