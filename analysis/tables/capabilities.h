// What is known of each communicator, so that a figure is not read as more than it is: which of its
// ranks were recorded, which kinds of events, for how many of its operations an end, waits and network
// steps are known. The one place that says so: report, page and JSON take it from here; the view
// `capabilities` of SQL counts the same (test/report/coverage.sh). Linear in the operations.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Capability {
  uint32_t communicator = kNoRow;  // row of `communicators`
  uint32_t recorded_ranks = 0;
  int32_t nranks = 0;
  // Kinds of events, a bit each: the tables of NCCL that its ranks use have them all; were on at the
  // start in all its ranks; came, in any rank.
  uint32_t offered = 0, on = 0, came = 0;
  // Kinds within operations (kSharedKinds) were asked of one operation in so many; the largest of its ranks'.
  uint32_t one_in = 1;
  int64_t recorded_ns =
      0;  // longest of its ranks': from its init to its finalize or the last record
  // Of the recorded ranks' calls; assembled operations instead of their parts are not counted.
  uint64_t operations = 0, with_end = 0, with_kernels = 0, with_gpu_times = 0, with_network = 0;
  uint64_t with_steps = 0;      // network steps
  uint64_t with_all_ranks = 0;  // every rank of the operation was recorded
  uint64_t with_one_clock = 0;  // waits hold across its ranks
  uint64_t with_wait = 0;       // both, so far as who came last is known
  uint64_t lost = 0;            // calls that were asked for and not recorded, by the ledger
};

// By row of `communicators`.
std::vector<Capability> find_capabilities(const RunTables& run);

}  // namespace lockstep::analysis
