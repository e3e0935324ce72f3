// The captures of a run (dumper/run/capture_file.h) as the table `captures`. Called once, by load_run().
#pragma once

#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Of the processes that `run` has; their times move onto the run's axis. What cannot be read becomes a
// note.
void add_captures(const std::string& directory, RunTables* run);

}  // namespace lockstep::analysis
