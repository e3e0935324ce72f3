// summary.md, and its head for a terminal. Nothing here touches a file.
#pragma once

#include <string>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

std::string report_head(const Report& report);  // the answers and the first findings
std::string report_markdown(const Report& report);

}  // namespace lockstep::analysis
