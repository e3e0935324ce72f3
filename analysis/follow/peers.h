// Where the peer of a send or receive is, as far as that tells what is done: so far up, the same along a ring and along a
// pipeline. But who exchanges with all others, as a parameter server does, is the same peer for all of them.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

class Peers {
 public:
  // Linear in the operations.
  explicit Peers(const RunTables& run);

  // It exchanges with the others of its communicator, and these with no other.
  bool serves(uint32_t communicator, int32_t rank) const {
    return servers_.count({communicator, rank}) != 0;
  }
  // 0: it is no send or receive, or its peer is not known.
  uint32_t place_of(const OperationRow& row) const;

 private:
  const RunTables& run_;
  std::set<std::pair<uint32_t, int32_t>> servers_;  // communicator, rank
};

}  // namespace lockstep::analysis
