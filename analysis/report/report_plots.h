// uPlot inside the program, so that report.html needs no network. The Makefile sets LOCKSTEP_UPLOT
// when npm installed it; without, both are empty, and the page has its tables and says why there are
// no plots.
#pragma once

#include <string>

namespace lockstep::analysis {

std::string plot_script();
std::string plot_style();

}  // namespace lockstep::analysis
