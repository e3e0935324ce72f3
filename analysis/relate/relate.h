// From processes, each read by itself, to the tables of the run: texts and communicators get their
// final numbers, times move onto the run's clock, operations find their other ranks, arrivals are
// compared, training steps found. What comes out is not changed any more, but for the columns that
// add_causes() (analysis/judge/blame.h) fills on request. One thread; nothing here reads a recording,
// judges or prints.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/join/loaded_process.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// What was read: each process on its host's raw clock, with communicator numbers of its own.
using ReadRun = std::vector<std::unique_ptr<LoadedProcess>>;

// clock_directory: where the clock model lies; empty: every host keeps its raw clock. Of brief rows come no bandwidths,
// training steps and roles.
template <typename Row = OperationRow>
std::unique_ptr<RunTables> relate(ReadRun read, const std::string& clock_directory);

}  // namespace lockstep::analysis
