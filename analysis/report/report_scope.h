// What ran and what was recorded of it, in sentences: the head of a report, which says what its numbers are
// of. Called by make_report() only; one pass over the operations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Job, hosts, processes and ranks; when; versions; kinds and options; losses and ends; the start.
std::vector<std::string> scope_sentences(const RunTables& run);

// From a process's first communicator to its first call of an operation, ns: the median and the longest of
// all processes; and operations that are not whole: their call is not in the recording, or another
// process's network thread served them. Lines of aggregate.csv.
std::vector<std::pair<std::string, std::string>> scope_metrics(const RunTables& run);

}  // namespace lockstep::analysis
