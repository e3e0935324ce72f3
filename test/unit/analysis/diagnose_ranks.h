// Ranks of a run whose operations a test lays out by hand.
#pragma once

#include "analysis/diagnose.h"
#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {

constexpr unsigned kOperations = 20;

inline driver::RankRecords rank_of(TestRun* run, uint32_t comm, uint64_t id, int32_t rank,
                                   int32_t ranks) {
  driver::RankRecords records(comm, id, rank, ranks, static_cast<uint32_t>(10 + rank),
                              &run->strings);
  records.init(1'000 * kMs);
  return records;
}

inline driver::RankOperation open_at(unsigned i) {
  driver::RankOperation op = operation_at(i, 0);
  op.finish_ns = 0;
  return op;
}

}  // namespace lockstep::analysis
