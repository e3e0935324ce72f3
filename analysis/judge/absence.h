// Ranks that wait in no operation and never called what the others wait in: their processes and the
// reach of their recordings say why. Used by judge_cause().
#pragma once

#include "analysis/judge/hang_case.h"

namespace lockstep::analysis {

// Concludes nothing where ranks may only be ahead of each other.
void judge_absence(HangCase* one);

}  // namespace lockstep::analysis
