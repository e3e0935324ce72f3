// By what rows of tiles can be put together: `rank`, `host`, `communicator`, and one parallel dimension of the job
// (`tensor`, `pipeline`, `data`, `expert`, `context`), whose rows are the communicators that were guessed to have
// this role (analysis/relate/roles.h). Any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/pyramid/tiles.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Labels of the communicators of each dimension.
using Dimensions = std::map<std::string, std::set<std::string>>;
Dimensions dimensions_of(const RunTables& run);

// Every group that there can be, whether a run has it or not.
std::vector<std::string> all_row_groups();
// Those that give this run more than one row, and `rank`.
std::vector<std::string> row_groups(const std::vector<LaneFacts>& lanes,
                                    const Dimensions& dimensions);
// False: the run has no such dimension.
bool set_row_group(const std::string& group, const Dimensions& dimensions, TileRequest* request);

}  // namespace lockstep::analysis
