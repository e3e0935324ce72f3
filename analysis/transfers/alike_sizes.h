// What sizes of transfers count as alike. Where an operation moves as much time after time, only equal
// sizes do; where it moves another amount each time, as the all-to-all of experts, so few of a size are
// there that none could be compared: then sizes between two powers of two are, each transfer's time in
// proportion. Built once from the tables, linear in the matches; then only read.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// The size that the transfers of a match are compared at, bytes: its own, or the power of two below.
struct AlikeSize {
  uint64_t bytes = 0;
  double factor = 1;  // of its own size
  // What a transfer takes, as if it moved that much; kNoTime stays.
  int64_t scaled(int64_t ns) const;
};

class AlikeSizes {
 public:
  explicit AlikeSizes(const RunTables& run);
  AlikeSize of(const MatchRow& match) const;

 private:
  std::map<std::tuple<uint32_t, Text, uint64_t>, size_t> of_size_;  // communicator, function, size
  std::map<std::pair<uint32_t, Text>, size_t> edges_;               // sends: pairs of ranks, else 1
};

}  // namespace lockstep::analysis
