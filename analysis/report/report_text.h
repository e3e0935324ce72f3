// The texts of a report, one function for each of its files, and how they write a quantity. Called
// by write_report() and `lockstep report`; nothing here touches a file.
#pragma once

#include <string>

#include "analysis/report/report.h"

namespace lockstep::analysis {

std::string duration_text(int64_t ns);   // 1.25 ms
std::string bytes_text(uint64_t bytes);  // 64 KiB

std::string report_head(const Report& report);  // the answers, for a terminal
std::string report_markdown(const Report& report);
std::string report_operations_csv(const Report& report);
std::string report_aggregate_csv(const Report& report);
std::string report_top_csv(const Report& report, size_t top);
std::string report_html(const Report& report);

// The plot library's script and style; empty when the program was built without it.
std::string plot_script();
std::string plot_style();

}  // namespace lockstep::analysis
