// Reads what the samplers of a run's hosts wrote. Any number of threads, each with a sink of its own;
// memory is bounded by one chunk and the number of threads and counters.
#pragma once

#include <string>
#include <vector>

#include "analysis/hostload/load_rows.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// The `<host>.load` files of a run directory, by host; empty where nothing was sampled.
std::vector<std::string> load_files(const std::string& directory);

// All rows of all hosts: file after file, chunk after chunk (a second each), subject after subject, in
// time order. `run` must be what load_run() made of the same directory; times of hosts that it does not
// know stay on their own raw clock. Returns a sentence for each place that cannot be read, torn tails
// left out.
std::vector<std::string> stream_load(const std::string& directory, const RunTables& run,
                                     LoadSink* sink);

}  // namespace lockstep::analysis
