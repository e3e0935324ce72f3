// Findings in English: the only place where their sentences are made, for the terminal, for JSON, for
// reports and pages alike. Pure functions of the facts; a finding's rows must be those of `run`.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::string what_is_wrong(const RunTables& run, const Finding& finding);
// The same, why, and where those who caused it run.
std::string sentence(const RunTables& run, const Finding& finding);
// "ranks 0 and 1 wait in AllReduce #7 on dp for rank 3"
std::string clause(const RunTables& run, const Consequence& consequence);
// Of a straggler, one line for a list of answers: "rank 2 of world, in 10 of 19 operations, ...".
std::string late_in_short(const RunTables& run, const Finding& finding);

// Where there is no finding: that nothing wrong was found, or that there was nothing to judge.
std::string no_finding(const RunTables& run);

}  // namespace lockstep::analysis
