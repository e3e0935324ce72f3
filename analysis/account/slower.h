// Which operations took longer than expected (expected_times.h) and cost the job time by it, as far as a
// replay (what_if.h) without that excess tells. Whose fault that is, if anybody's, it does not say:
// who asks must know that nothing else explains it. Linear in the operations. Pure function.
#pragma once

#include <vector>

#include "analysis/account/expected_times.h"

namespace lockstep::analysis {

// Slow operations of one kind.
struct SlowerKind {
  ExpectedTimeRow row;
  uint32_t match = kNoRow;  // one of them
  int64_t took_ns = 0;      // their middle
};
// One of them.
struct SlowerOperation {
  uint32_t match = kNoRow;
  int64_t took_ns = 0, expected_ns = 0;
};

// Operations that are slow for one reason, as far as can be told: all that were slow for a time, all of
// one communicator, or one size.
struct SlowerThanExpected {
  std::vector<SlowerKind> kinds;         // at least one, which costs most first
  std::vector<SlowerOperation> slowest;  // those that took longest beyond expected, that first
  bool still = false;   // each by itself stood still, and no stretch of them was slow
  int64_t gain_ns = 0;  // without it the run would be so much shorter,
  int64_t span_ns = 0;  // and it took so long

  const SlowerKind& worst() const { return kinds.front(); }
  bool is_once() const { return still && slowest.size() == 1; }
};

// Those that cost most first.
std::vector<SlowerThanExpected> find_slower(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
