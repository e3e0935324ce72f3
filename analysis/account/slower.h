// Which operations took longer than expected (expected_times.h) and cost the job time by it, as far as a
// replay (what_if.h) without that excess tells. Whose fault that is, if anybody's, it does not say:
// who asks must know that nothing else explains it. Linear in the operations. Pure function.
#pragma once

#include <vector>

#include "analysis/account/expected_times.h"

namespace lockstep::analysis {

// Operations that are slow for one reason, as far as can be told: all that were slow for a time, all of
// one communicator, or one size.
struct SlowerThanExpected {
  ExpectedTimeRow worst;  // of their kinds, which costs most
  int64_t took_ns = 0;    // of its slow operations, the middle
  size_t kinds = 0;       // how many
  int64_t gain_ns = 0;    // without it the run would be so much shorter,
  int64_t span_ns = 0;    // and it took so long
};

// Those that cost most first.
std::vector<SlowerThanExpected> find_slower(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
