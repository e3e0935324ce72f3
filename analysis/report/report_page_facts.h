// What only the page shows of a run, beside what the other files of a report have: findings with their evidence and
// times, who talks to whom, what was expected, the tiles of the heat map and the operations that it can show one by one.
#pragma once

#include "analysis/judge/judge.h"
#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

void add_page_facts(const RunTables& run, const Judgement& judgement, Report* report);

}  // namespace lockstep::analysis
