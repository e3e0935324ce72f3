// What every rank of a run did, as intervals of run time: what tiles of the viewer's timeline are made
// of. A lane is a rank as column `rank` of `processes` numbers it, with all processes that had it. All
// of it follows from the tables (docs/viewer-api.md says how) and is exact to the nanosecond:
//   busy     an operation was called and had not ended; one whose end is not in the recording counts
//            until the last thing known of it, one in flight at the end until its process was last heard,
//            an aborted one until its communicator was given up
//   waiting  this rank was ready and the last comparable one was not: column `wait_ns` of `arrivals`; where
//            a rank never came, until the end of the operation that waits for it, as above
//   caused   somebody waited for this rank
// Made by one thread; read by any.
#pragma once

#include <string>
#include <vector>

#include "analysis/pyramid/run_time.h"
#include "analysis/pyramid/span_search.h"

namespace lockstep::analysis {

struct LaneFacts {
  int32_t rank = -1;
  std::string host;
  std::vector<std::string> communicators;  // their labels, the largest first
  TimeSpans recorded;                      // when its processes recorded; disjoint, in order
  bool lost = false;                       // some of its calls were not recorded, nobody knows when
};

struct Lane : LaneFacts {
  TimeSpans busy, waiting, caused;  // disjoint, in order
  SpanSearch waits;                 // one by one
};

struct Activity {
  std::vector<Lane> lanes;  // by rank
  int64_t length_ns = 0;    // the last record's run time
};

template <typename Row = OperationRow>
Activity activity_of(const RunTables& run, const RunTime& time);

// The same instants as disjoint spans in order.
TimeSpans united(TimeSpans spans);

}  // namespace lockstep::analysis
