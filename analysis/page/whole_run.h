// The heat map's numbers for all of a run at once, for a page without a server: as /api/tiles gives them
// (analysis/pyramid/tiles.h, docs/viewer-api.md), at most 256 rows and 512 columns. Linear in the operations, one thread.
#pragma once

#include <string>

#include "analysis/pyramid/run_time.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// From the run's first record to its last sign of life, which can be long after the last record.
int64_t length_of(const RunTables& run, const RunTime& time);

// Rows of ranks, and of hosts and of communicators where there are several; empty: there is nothing to draw.
struct WholeTiles {
  std::string ranks, hosts, communicators;
};
WholeTiles tiles_of(const RunTables& run, const RunTime& time);

}  // namespace lockstep::analysis
