// Ranks of one operation that called different functions, or passed different values to one: the
// minority is to blame, and between as many of each whoever left what is usual there. Pure functions.
#pragma once

#include <vector>

#include "analysis/judge/hang_case.h"

namespace lockstep::analysis {

// In an operation that stands still. False: they agree.
bool judge_disagreement(HangCase* one);

// Operations that ended although the ranks had passed different sizes, or of which no end was recorded. One finding for each
// communicator. What stands still because of it moves from the hangs into its consequences.
std::vector<Finding> find_mismatches(const RunTables& run, std::vector<Finding>* hangs);

}  // namespace lockstep::analysis
