// The parts of a run that hosts send (live/questions/slice_answer.h), as a run directory of their own.
// One thread.
#pragma once

#include <string>
#include <vector>

#include "live/asker/ask_all.h"
#include "live/questions/slice_request.h"

namespace lockstep::cli {

// Into this directory, which is there. `answers` tells of everybody, also of those that sent nothing.
std::vector<live::SliceRow> take_run_parts(const live::Targets& targets,
                                           const live::SliceRequest& request,
                                           const live::AskTerms& terms,
                                           const std::string& directory, live::Answers* answers);

// Several hosts on one clock, as far as their records tell; where they do not, their times compare
// within each host only, and the tables say so. Where there is a model already, it stays.
void align_parts(const std::string& directory, const std::vector<live::SliceRow>& rows);

}  // namespace lockstep::cli
