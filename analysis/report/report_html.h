// report.html: the page (analysis/page) with everything in it, that opens without a network. Texts of the recording are
// escaped: a communicator's name must not become a script. Nothing here touches a file.
#pragma once

#include <string>

#include "analysis/report/report_compare.h"
#include "analysis/report/report_data.h"

namespace lockstep::analysis {

// comparison: with earlier runs; null where none were named.
std::string report_html(const Report& report, const Comparison* comparison);

}  // namespace lockstep::analysis
