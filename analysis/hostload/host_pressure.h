// When the hosts of a run were short of something: rows of `host_load` as the table that the page draws.
#pragma once

#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Fills RunTables::host_pressure from the `<host>.load` files; reads all of them. What cannot be read is left out:
// whoever judges the run says so (analysis/why/explain.h).
void add_host_pressure(const std::string& directory, RunTables* run);

}  // namespace lockstep::analysis
