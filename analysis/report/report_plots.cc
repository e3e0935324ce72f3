#include "analysis/report/report_plots.h"

#ifdef LOCKSTEP_UPLOT
// Paths are from the root of the tree, where make runs the compiler.
__asm__(
    ".section .rodata\n"
    ".hidden lockstep_uplot_js\n.global lockstep_uplot_js\nlockstep_uplot_js:\n"
    ".incbin \"node_modules/uplot/dist/uPlot.iife.min.js\"\n.byte 0\n"
    ".hidden lockstep_uplot_css\n.global lockstep_uplot_css\nlockstep_uplot_css:\n"
    ".incbin \"node_modules/uplot/dist/uPlot.min.css\"\n.byte 0\n"
    ".text\n");
extern "C" const char lockstep_uplot_js[], lockstep_uplot_css[];
#endif

namespace lockstep::analysis {

#ifdef LOCKSTEP_UPLOT
std::string plot_script() { return lockstep_uplot_js; }
std::string plot_style() { return lockstep_uplot_css; }
#else
std::string plot_script() { return {}; }
std::string plot_style() { return {}; }
#endif

}  // namespace lockstep::analysis
