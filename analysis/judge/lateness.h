// Who made the others wait, how long, and why, in numbers: one rank's account and one operation that
// a rank was late for. Filled by the blame (blame.h); plain data.
//
// Causes: host_late (the call came late), gpu_late (called in time, its kernel began late),
// peer_late (another process was late for an operation before it and held this one up there),
// network_slow, proxy_starved, unknown (data do not tell).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// One rank of one communicator.
struct RankBlame {
  uint32_t communicator = kNoRow, process = 0;
  int32_t rank = -1;
  uint64_t operations = 0;     // whose arrivals can be compared
  uint64_t late = 0;           // of those, it alone came last, clearly beyond the usual scatter, by
                               // its own doing, and by at least half of what is typical of it
  int64_t excess_ns = 0;       // by how much later than the median of the others, over those
  int64_t typical_ns = 0;      // median of that
  int64_t caused_wait_ns = 0;  // what the others waited for it in those, summed over them
  uint64_t passed_on = 0;      // operations other processes were late for because of those
  int64_t passed_on_wait_ns = 0;  // what was waited in those
  int64_t own_wait_ns = 0;        // what it waited for others, over all operations
  Cause cause = Cause::None;      // the most frequent of those
  bool accused = false;           // has a finding
};

struct LateOperation {
  uint32_t match = kNoRow, arrival = kNoRow;  // rows; arrival = the last arriver's
  int64_t excess_ns = 0, inherited_ns = 0, caused_wait_ns = 0;
  uint32_t origin = kNoRow;  // row in `matches` where the lateness began; itself unless inherited
  Cause cause = Cause::Unknown;
};

}  // namespace lockstep::analysis
