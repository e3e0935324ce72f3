// What became slower between two runs, by operation signature (function, datatype, size, ranks):
// median transfer time per rank and median arrival skew per operation. Slower or faster means that
// the 99.9 % intervals of the two medians do not touch and the medians differ by at least 10 %,
// which covers the noise within a run; a machine that was busier during one of the runs looks like
// a regression. Called by `lockstep report --compare`.
#pragma once

#include <string>
#include <vector>

#include "analysis/report.h"

namespace lockstep::analysis {

struct Change {
  std::string what;  // "AllReduce of 1 MiB, 8 ranks, ncclFloat32: transfer"
  Spread before, after;
  double ratio = 1;  // after / before
};

struct Comparison {
  std::vector<Change> slower, faster;  // largest ratio first
  size_t compared = 0, too_few = 0;    // signatures and measures; too few samples to tell
  size_t only_before = 0, only_after = 0;
};

Comparison compare_reports(const Report& before, const Report& after);
std::string comparison_text(const Comparison& comparison);

}  // namespace lockstep::analysis
