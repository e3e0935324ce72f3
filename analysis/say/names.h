// What ranks, operations and communicators are called in a sentence. Texts of the recording appear as
// they are; whoever makes markup escapes them.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/places.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// "rank 3", "ranks 0 and 1"; of many the first 16 and how many more. Ranks of unknown number are
// counted, never written as -1.
std::string rank_list(const std::vector<int32_t>& ranks);
std::string rank_name(int32_t rank);

// "AllGather #9", "AllReduce #5 replay 2".
std::string operation_name(const RunTables& run, const OperationRow& row);
// "AllGather #9 on world", "Send #12 to rank 1 on world".
std::string operation_on(const RunTables& run, uint32_t operation);

// "Rank 3 is pid 4711 on node7.", with its rank in the largest communicator of its process where that
// is another one, or alone where it has no rank there; for more than four ranks only their hosts. Empty
// where no process is known.
std::string where_they_run(const RunTables& run, const std::vector<Place>& places);

}  // namespace lockstep::analysis
