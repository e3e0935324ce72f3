// How well the kernel times of a run are known, in a sentence, for the report and for diagnose.
#pragma once

#include <string>

#include "analysis/load/run.h"

namespace lockstep::analysis {

// Empty when no kernel was recorded.
std::string gpu_times_sentence(const RunTables& run);

}  // namespace lockstep::analysis
