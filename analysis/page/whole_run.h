// The heat map's numbers for all of a run at once, for a page without a server: as /api/tiles gives them
// (analysis/pyramid/tiles.h, docs/viewer-api.md), at most 256 rows and 512 columns. Linear in the operations, one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/pyramid/run_time.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// From the run's first record to its last sign of life, which can be long after the last record.
int64_t length_of(const RunTables& run, const RunTime& time);

// By what rows are put together (analysis/pyramid/row_groups.h); none: there is nothing to draw.
using WholeTiles = std::vector<std::pair<std::string, std::string>>;
WholeTiles tiles_of(const RunTables& run, const RunTime& time);

}  // namespace lockstep::analysis
