// Operations that somebody stands in: a collective at its place on its communicator, or a send with
// its receive, with what each of its ranks does there. Facts only; the wait graph says which of them
// hold up the others, and verdict.cc draws the conclusions.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/heads.h"

namespace lockstep::analysis {

enum class Stand : uint8_t {
  Inside,     // in the stalled operation
  NotBegun,   // called it, nothing of its own is in the way, yet its kernel did not begin
  Queued,     // called it; something that it called before has not ended
  Passed,     // it ended there
  Elsewhere,  // called another operation at this position
  Missing,    // recorded, never called it
  NotRecorded,
};

struct StallMember {
  int32_t rank = -1;
  uint32_t process = kNoRow;
  uint32_t actor = kNoRow;
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
  bool disputed = false;        // its ranks called different functions at this position
  std::vector<StallMember> members;
  double seconds = 0;      // since anybody inside made progress, to the last sign of life
  int64_t typical_ns = 0;  // how long such an operation usually takes, 0 = no example
  bool running = false;    // some process of it still runs
  // Nothing recorded tells when its operations end: only who called what, and when the last call
  // was.
  bool by_calls = false;
  bool one_clock = true;  // times of all its members can be compared
};

std::vector<Stall> find_stalls(const RunTables& run, const Actors& actors, const Heads& heads);

}  // namespace lockstep::analysis
