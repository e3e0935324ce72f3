// report.html: one file with everything in it, that opens without a network. The heat map is SVG made
// here; the other plots are drawn in the page by uPlot from the data in it. Texts of the recording are
// escaped: a communicator's name must not become a script. Nothing here touches a file.
#pragma once

#include <string>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

std::string report_html(const Report& report);

}  // namespace lockstep::analysis
