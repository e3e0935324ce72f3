// Where the time and the bytes of a run went, as tables for people and lines of steps.csv: from the
// critical path, what could be won on it, expected times and the traffic between ranks. Called by
// make_report(); adds nothing where add_accounts() (analysis/account/accounts.h) was not asked.
#pragma once

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

void add_accounts_of(const RunTables& run, Report* report);

}  // namespace lockstep::analysis
