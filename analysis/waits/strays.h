// Who of a circle of ranks that wait for each other left the order of calls that it kept before. The
// others only kept theirs. Reads the tables and the graph, changes neither; used by verdict.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/waits/wait_graph.h"

namespace lockstep::analysis {

struct Suspects {
  std::vector<uint32_t> actors;  // none where the circle holds most of the job, and nobody differs
  bool one_of = false;           // nobody differs: one of them is to blame
  double confidence = 0;
};

Suspects find_strays(const RunTables& run, const WaitGraph& graph, const HangCause& circle);

}  // namespace lockstep::analysis
