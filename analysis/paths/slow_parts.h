// Which edge, rank or host makes transfers slow and costs the job time by it: the excesses of the
// transfers (slow_transfers.h) are taken away from the replay (what_if.h), those of one edge, of all
// that one rank takes part in, of all edges from one host to another, and of all edges of one host. The
// smallest part that has most of the best gain is accused and cured, and the question asked again. Where
// two ranks or hosts explain it equally well, it is what they exchange.
#pragma once

#include <vector>

#include "analysis/follow/followed_run.h"
#include "analysis/paths/slow_part.h"
#include "analysis/paths/traces_of_starts.h"
#include "analysis/paths/transfer_excess.h"

namespace lockstep::analysis {

struct SlowParts {
  std::vector<SlowPart> found;
  std::vector<WithinClocks> within_clocks;  // what may be slow, too
};
// Where that finds none, what network steps show at times (slow_spells.h): of proxy threads, and of ways if nobody is late.
SlowParts find_slow_parts(const RunTables& run, const FollowedRun& followed, Starts starts);

}  // namespace lockstep::analysis
