// Where data stopped in a collective that goes up a tree to a root on each channel and down again: at the host that has
// all that it waits for and does not send on. Which edges go up, and over which ranks, is known from the last such
// collective that ended; what each waits for from the states of its network steps, or without these from which network
// operations ended. Pure function.
#pragma once

#include <set>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

// So many steps fit between two ranks (NCCL_STEPS).
constexpr uint32_t kBufferedSteps = 8;

struct StuckTree {
  std::set<Text> hosts;  // none: it tells of none, or does not go by trees
  bool or_next = false;  // or those do not take it that they should send to
};

// open: the network operations of the stall that are open.
StuckTree find_stuck_tree(const RunTables& run, const Stall& stall,
                          const std::vector<const OpenTransportRow*>& open);

}  // namespace lockstep::analysis
