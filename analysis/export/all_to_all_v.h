// All-to-alls whose parts differ in size, which PyTorch and its tools call all_to_allv and whose splits they want.
// One that is uneven on any of its ranks is so on all, since readers compare the names. One thread builds it; then any.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Splits {
  std::vector<uint64_t> in, out;  // elements to and from each rank of the communicator
};

class AllToAllV {
 public:
  explicit AllToAllV(const RunTables& run);

  // Of the uneven ones among `operations`, rows of one process, by row.
  std::unordered_map<uint32_t, Splits> splits_of(const std::vector<uint32_t>& operations) const;

 private:
  bool is_uneven(uint32_t whole) const;

  const RunTables& run_;
  std::vector<bool> uneven_;          // by operation
  std::vector<bool> uneven_matches_;  // by match
};

}  // namespace lockstep::analysis
