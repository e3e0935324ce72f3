// What each process called one after the other, and when each of those calls' work ended: the
// thread along which lateness passes from one operation to the next, on whatever communicator. One
// group call is one link, however many sends and receives it holds. Built once by the blame, linear
// in the operations; then only read.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// What a process had just ended when it came to an operation.
struct Predecessor {
  int64_t finish_ns = kNoTime;  // kNoTime: nothing known of it ended before
  uint32_t match = kNoRow;      // row of `matches`
};

class CallChain {
 public:
  explicit CallChain(const RunTables& run);
  // The latest end of work that the operation's process called before it and that was over at that
  // moment.
  Predecessor before(uint32_t operation, int64_t at_ns) const;

 private:
  struct Link {
    uint32_t process = kNoRow, match = kNoRow;
    uint64_t group_id = 0;
    int64_t end_ns = kNoTime;
    int64_t latest_before_ns = kNoTime;  // end of any link of the process before this one
  };
  void add_link(const OperationRow& row);

  std::vector<Link> links_;
  std::vector<uint32_t> link_of_;  // by row of `operations`
};

}  // namespace lockstep::analysis
