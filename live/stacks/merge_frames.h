// Native and Python frames of one thread in the order of their calls. Pure functions.
//
// The rule: each call of the C evaluator, _PyEval_EvalFrameDefault, runs one Python frame or, from 3.11 on,
// several that call each other without leaving it; the first of them is marked as its entry. So the native
// stack's evaluators, outermost first, stand for the runs of Python frames that begin at each entry, and each
// is replaced by its run. Where their numbers differ, because the two were not read at the same instant or
// because the native stack ends early, they are paired from the end that is sure: from the outer one where
// the native stack begins where threads begin, else from the inner one. Evaluators that are left over stay
// native frames, runs that are left over stand inside the last that was paired, and outside of all native
// frames where pairs are made from the inner end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "live/stacks/python_stack.h"

namespace lockstep::live {

struct MergedFrame {
  bool python = false;
  size_t index = 0;  // in the frames that were given
};

struct MergedStack {
  std::vector<MergedFrame> frames;  // outermost first
  bool agree = true;                // as many evaluators as runs
};

// `native`: the functions' names, outermost first; empty for one without a name.
MergedStack merge_frames(const std::vector<std::string>& native,
                         const std::vector<PythonFrame>& python);

// The C evaluator, also as compilers name its parts: "_PyEval_EvalFrameDefault.cold".
bool is_evaluator(std::string_view function);

}  // namespace lockstep::live
