// Where kernels on symmetric memory wait, by the phases that they stamp (KernelPhase): the table, a
// sentence among the answers, and the sums for aggregate.csv. Empty where no phase was recorded.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Adds all three.
void add_phases_of(const RunTables& run, Report* report);

}  // namespace lockstep::analysis
