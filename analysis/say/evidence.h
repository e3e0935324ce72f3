// What a finding rests on, in English: one line for each row of the tables. As findings.h.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::vector<std::string> evidence_lines(const RunTables& run, const Finding& finding);

}  // namespace lockstep::analysis
