// Where ranks of a communicator run: the answer to "which node do I drain?". Facts for the sentences
// of analysis/say and for JSON.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Place {
  int32_t rank = -1;        // in the communicator asked for; -1: it has none there
  int32_t world_rank = -1;  // in the largest communicator of its process; -1: not known
  uint32_t process = kNoRow;
  Text gpu = 0;
};

// One for each of `ranks` whose process was recorded, in their order.
std::vector<Place> places_of(const RunTables& run, uint32_t communicator,
                             const std::vector<int32_t>& ranks);
// Of everybody whom the finding accuses, those without a rank on its communicator last.
std::vector<Place> culprits_of(const RunTables& run, const Finding& finding);

}  // namespace lockstep::analysis
