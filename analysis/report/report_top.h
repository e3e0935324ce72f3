// The rankings of single things in top.csv (slowest operations, communicators, pairs of ranks, channels), and the example
// operations that its lines and those of operations.csv name, each by the name that `lockstep explain`
// takes (analysis/tables/operation_address.h). Linear in the operations; memory for the lines kept only.
#pragma once

#include <vector>

#include "analysis/report/report_data.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// At most `top` lines per ranking, most first. `operation`: calls of ranks by the time from the call to
// their end. `communicator`: sum of those times. `peer`: bytes that one rank sent another by calls of send
// (peer_traffic, which add_accounts() fills). `channel`: bytes that one rank sent and received on one channel.
std::vector<TopLine> top_lines(const RunTables& run, size_t top);

// Of each rank of the communicator, the operation in which it waited longest, and the one in which others
// waited longest for it.
void add_rank_examples(const RunTables& run, uint32_t communicator, std::vector<RankRow>* ranks);

}  // namespace lockstep::analysis
