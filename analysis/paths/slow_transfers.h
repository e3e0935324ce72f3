// Which transfers take longer than such transfers usually do, and over which edge, as far as the
// recording tells. Compared are communicators that do the same (function, size, ranks, hosts), and
// inside one the edges that are alike: sends and receives by their own times, collectives by when their
// ranks are done (ring_excess.h). What is slow at times only is compared with its own other times.
// Linear in the operations but for finding medians.
#pragma once

#include <vector>

#include "analysis/follow/followed_run.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/slow_spells.h"

namespace lockstep::analysis {

SlowTransfers find_slow_transfers(const RunTables& run, const FollowedRun& followed);
// Ways and proxy threads against their own other times alone, by one clock (slow_spells.h).
SlowTransfers find_slow_at_times(const RunTables& run, const OwnSegments& own, Spells which);

}  // namespace lockstep::analysis
