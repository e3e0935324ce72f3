// The operations that a page without a server can show one by one: those that never ended, then those in which ranks
// waited longest, as many as fit. The columns of /api/ops (docs/viewer.md). Pure function.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/pyramid/run_time.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// JSON {"columns", "rows", "truncated"}, its rows at most `budget_bytes` long, in the order of time.
std::string slowest_moments(const RunTables& run, const RunTime& time, size_t budget_bytes);

}  // namespace lockstep::analysis
