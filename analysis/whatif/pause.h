// One moment that held the whole job up: a rank, or all ranks of a host, that stood still once, for far longer than anybody
// else ever came late. As there is but one, chance tells nothing of it; that nothing else in the run is nearly as bad does.
// Likewise a bout of such moments. Pure functions; the first replays the run once where there is such a moment.
#pragma once

#include <vector>

#include "analysis/whatif/occasions.h"
#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {

// How much shorter the run would be had these ranks not stood still when one of them came late to this arrival, a row; 0
// where one of them did not, or where somebody, they included, holds the run up at another moment for nearly as long.
// actors: sorted. path: the critical one; excess_ns: by row of `arrivals`.
int64_t gain_without_pause(const RunTables& run, const OwnSegments& own,
                           const std::vector<int64_t>& excess_ns,
                           const std::vector<PathPiece>& path, const std::vector<uint32_t>& actors,
                           uint32_t arrival);

// Whether all that makes these ranks late lies in one part of the run, a third of it at most, as where a GPU is slow for
// a step: three moments or more, and in no part of that length does anybody else, or they themselves, hold the run up for
// nearly as long. occasions: in the order of time.
bool is_bout(const OwnSegments& own, const std::vector<PathPiece>& path,
             const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions,
             int64_t span_ns);

}  // namespace lockstep::analysis
