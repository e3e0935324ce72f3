// How exact the times of a run are, in English, for diagnose and the report.
#pragma once

#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Whether times of ranks on several hosts compare, and within what.
std::string clock_sentence(const RunTables& run);
// How well the kernel times are known. Empty when no kernel was recorded.
std::string gpu_times_sentence(const RunTables& run);

// Half width of the guaranteed interval between hosts, the widest over the waits.
int64_t widest_clock_error_ns(const RunTables& run);

}  // namespace lockstep::analysis
