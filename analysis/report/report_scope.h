// What ran and what was recorded of it, in sentences: the head of a report, which says what its numbers are
// of. Called by make_report() only; one pass over the operations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Job, hosts, processes and ranks; when; versions; kinds and options; losses and ends; the start.
std::vector<std::string> scope_sentences(const RunTables& run);

// Operations that are not whole: their call is not in the recording, another process's network thread served
// them, or they were called after the end of their communicator. Lines of aggregate.csv.
std::vector<std::pair<std::string, std::string>> scope_metrics(const RunTables& run);

// What is known of each communicator, and from that the line under every table that is there by now.
void add_coverage(const RunTables& run, const std::vector<Capability>& capabilities,
                  Report* report);

}  // namespace lockstep::analysis
