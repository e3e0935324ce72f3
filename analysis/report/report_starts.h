// How the run began: what the plugin took of the first communicator's init, and of each communicator when its ranks
// were in its init and when they called its first operation. NCCL tells a plugin neither when an init begins nor when it
// ends. It calls the plugin once in each, near the end and before connections are made: that instant stands for the init.
// Of a part of a run only communicators whose init lies in it. Called by make_report(); one pass over the operations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// From the first communicator of each process to its first operation, and what the plugin took of that.
std::string start_sentence(const RunTables& run);
// Its figures as lines of aggregate.csv.
std::vector<std::pair<std::string, std::string>> start_metrics(const RunTables& run);

// In the order of their inits; those of which no init is known are left out.
std::vector<CommStart> comm_starts(const RunTables& run);
SaidTable starts_table(const std::vector<CommStart>& starts);

}  // namespace lockstep::analysis
