// Operations that did not end, one stall per communicator (collectives) or pair (sends and
// receives): the earliest one that blocks it, with what each member does there. Facts only;
// diagnose.cc draws the conclusions.
#pragma once

#include <vector>

#include "analysis/run.h"

namespace lockstep::analysis {

enum class Stand : uint8_t {
  Inside,     // in the stalled operation
  Passed,     // it ended there
  Elsewhere,  // called another operation at this position
  Missing,    // recorded, never called it
  NotRecorded,
};

struct StallMember {
  int32_t rank = -1;
  uint32_t process = kNoRow;
  uint32_t operation = kNoRow;  // row at the stalled position; of another function when Elsewhere
  uint32_t last_operation = kNoRow;  // its last row on this communicator
  int64_t finalize_ns = kNoTime;
  Stand stand = Stand::NotRecorded;
};

struct Stall {
  uint32_t communicator = kNoRow;
  uint32_t operation = kNoRow;  // a row that is inside, for function, size and ordinal
  bool pair = false;            // a send and its receive
  std::vector<StallMember> members;
  int64_t since_ns = kNoTime;  // the last progress of anybody inside
  int64_t until_ns = kNoTime;  // the last sign of life of any process that can be compared
  int64_t typical_ns = 0;      // how long such an operation usually takes, 0 = no example
  bool aborted = false;        // its communicator was finalized with the operation open
  bool running = false;        // some process of it still runs
  bool unfinished =
      false;  // some process of it still runs or was cut: time may have gone on unseen

  double seconds() const {
    return since_ns == kNoTime || until_ns < since_ns
               ? 0
               : static_cast<double>(until_ns - since_ns) * 1e-9;
  }
};

std::vector<Stall> find_stalls(const RunTables& run);

}  // namespace lockstep::analysis
