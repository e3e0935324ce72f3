// A finding: one thing that is wrong in a run, with who is to blame, how sure that is, and what it
// rests on. Made by diagnose() and blame; printed by `lockstep diagnose` and the report. Plain
// data.
#pragma once

#include <string>
#include <vector>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// Kinds: missing_rank (never entered), dead_process, wrong_order (entered another operation),
// mismatch (sizes, types or roots differ), stuck_in_transport, stuck_on_gpu (its kernel never
// began), aborted, straggler, slow_link, slow_proxy.
struct Finding {
  std::string kind;
  uint32_t communicator = kNoRow;
  Text func = 0;
  uint32_t ordinal = 0;
  std::vector<int32_t> ranks;     // affected: those that wait
  std::vector<int32_t> culprits;  // ranks of the communicator above
  double since_s = 0;             // how long nothing has moved; stragglers: the time lost in all
  double confidence = 0;          // 0..1
  std::vector<std::string> evidence;  // rows of the tables, in words
  std::string text;
};

}  // namespace lockstep::analysis
