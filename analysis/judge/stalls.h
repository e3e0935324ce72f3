// Operations that did not end, one stall per communicator (collectives) or pair (sends and
// receives): the earliest one that blocks it, with what each member does there. Facts only;
// diagnose.cc draws the conclusions.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

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
  int64_t until_ns = kNoTime;  // the last sign of life of any member that shares its clock
  Stand stand = Stand::NotRecorded;
};

struct Stall {
  uint32_t communicator = kNoRow;
  uint32_t operation = kNoRow;  // a row that is inside, for function, size and ordinal
  bool pair = false;            // a send and its receive
  std::vector<StallMember> members;
  double seconds = 0;      // since anybody inside made progress, to the last sign of life
  int64_t typical_ns = 0;  // how long such an operation usually takes, 0 = no example
  bool aborted = false;    // its communicator was finalized with the operation open
  bool running = false;    // some process of it still runs
  bool unfinished =
      false;  // some process of it still runs or was cut: time may have gone on unseen
  // Nothing recorded tells when its operations end: only who called what, and when the last call
  // was.
  bool by_calls = false;
  bool one_clock = true;  // times of all its members can be compared
};

std::vector<Stall> find_stalls(const RunTables& run);

}  // namespace lockstep::analysis
