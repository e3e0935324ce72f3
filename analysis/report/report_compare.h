// What became slower since one or several earlier runs, by operation signature (function, datatype,
// size, ranks): median transfer time per rank and median arrival skew per operation. Slower or
// faster means that the 99.9 % interval of the median touches that of no earlier run, and that it
// lies beyond all their medians by at least 10 % and by at least as much as they differ among
// themselves. One earlier run knows the noise within a run only: a machine that was busier during
// one of the two looks like a regression. Called by `lockstep report --compare`.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

struct Change {
  std::string what;      // "AllReduce of 1 MiB, 8 ranks, ncclFloat32: transfer"
  Spread before, after;  // before: of the earlier run that is nearest
  double ratio = 1;      // after / before
  double between = 1;    // largest / smallest median of the earlier runs
};

struct Comparison {
  std::vector<Change> slower, faster;  // largest ratio first
  size_t compared = 0, too_few = 0;    // signatures and measures; too few samples to tell
  size_t only_before = 0, only_after = 0;
  size_t runs = 0;            // earlier ones
  double widest_between = 1;  // the largest Change::between of all that was compared
};

Comparison compare_reports(const std::vector<Report>& before, const Report& after);
// How much was compared, and what noise is.
std::string comparison_note(const Comparison& comparison);
// A line for each change, and the note.
std::string comparison_text(const Comparison& comparison);

}  // namespace lockstep::analysis
