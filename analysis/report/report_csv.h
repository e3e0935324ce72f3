// The CSV files of a report (RFC 4180; docs/report.md names every column). Nothing here touches a file.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

std::string report_operations_csv(const Report& report);
std::string report_aggregate_csv(const Report& report);
std::string report_top_csv(const Report& report, size_t top);
std::string report_steps_csv(const Report& report);

}  // namespace lockstep::analysis
