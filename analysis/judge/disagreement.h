// Ranks of one operation that called different functions, or passed different values to one: the
// minority is to blame, and between as many of each whoever left what is usual there. Used by
// judge_cause().
#pragma once

#include "analysis/judge/hang_case.h"

namespace lockstep::analysis {

// False: they agree.
bool judge_disagreement(HangCase* one);

}  // namespace lockstep::analysis
