// Which rank holds up what its host sends on along a chain. The edge that is slow is the one between hosts, which
// network operations show; the rank that is slow can be any that the data passed on the sender's host
// before. What a rank hands on slowly waits in its buffers, so the rank before it can end no earlier than
// these let it: of the ranks that the data passes, the last that ends clearly later than the one before it
// is the one that holds it up; where all end together, the first, if the chain begins there. Pure
// functions.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Of the chains `matches` (rows), each of which takes `took_ns` to cross the edge from `sender` (an actor).
// `sender` itself, unless most of them tell of one other.
uint32_t holder_of_chains(const RunTables& run, const OwnSegments& own, uint32_t sender,
                          const std::vector<uint32_t>& matches, int64_t took_ns);

}  // namespace lockstep::analysis
