// The operations that a page without a server can show one by one: those that never ended, then those in which ranks
// waited longest, as many as fit. The same columns as /api/ops (docs/viewer.md). Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// JSON {"columns", "rows", "truncated"}, its rows at most `budget_bytes` long, in the order of time; times in ns since
// span_of().from_ns (rank_times.h).
std::string slowest_moments(const RunTables& run, size_t budget_bytes);

}  // namespace lockstep::analysis
