// Hosts whose clocks nothing connects: neither probes nor, as nothing but calls was recorded, the ends of collectives.
// Lateness can still be judged where a host is not always late by as much: its clock is set so that it makes the median
// collective at the same time as the others. That is an assumption, without any bound on its error; only what judges
// lateness may use it, and must say so.
#pragma once

#include <memory>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// A copy of the run, row for row, with its hosts on the first one's clock. None where it is not needed, where more than
// calls was recorded (`lockstep align` connects such hosts), or where collectives do not connect all hosts.
// RunTables::aligned of the copy is as before.
std::shared_ptr<const RunTables> on_assumed_clocks(const RunTables& run);

}  // namespace lockstep::analysis
