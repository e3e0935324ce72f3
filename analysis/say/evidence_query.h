// The rows that a finding rests on, for SQL: a SELECT for each line of evidence. As findings.h.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// In the order of evidence_lines(); empty where a line names no row, or sums up many.
std::vector<std::string> evidence_queries(const RunTables& run, const Finding& finding);

}  // namespace lockstep::analysis
