// The captures of a run (dumper/run/capture_file.h) as the table `captures`. Called once, by load_run().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/join/loaded_process.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// What the processes themselves noted, by their uid.
using NotedCaptures = std::map<uint64_t, std::vector<dumper::NotedCapture>>;

// Of the processes that `run` has; their times move onto the run's axis. What cannot be read becomes a
// note. Captures that have no file, as the program or LOCKSTEP_CAPTURE_EVERY began them, are those
// that are noted.
void add_captures(const std::string& directory, const NotedCaptures& noted, RunTables* run);

}  // namespace lockstep::analysis
