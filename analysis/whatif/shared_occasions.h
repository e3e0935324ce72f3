// Whether the ranks of a set are late together, or some now and others then: the noise of ranks that wait
// for each other adds up as if it were that of all of them. Pure function.
#pragma once

#include <vector>

#include "analysis/whatif/occasions.h"

namespace lockstep::analysis {

// actors: sorted.
bool is_in(const std::vector<uint32_t>& actors, uint32_t actor);

// Where the set held the run up most of its ranks were late. `actors`: of the set, sorted.
bool share_occasions(const RunTables& run, const OwnSegments& own, const Excesses& excesses,
                     const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions);

// Whether each rank of a host lost clearly more time than anybody elsewhere who is possible (a flag by actor), by
// moments like the occasions of the one who is accused. Those who are late together hide each other: the others wait
// for whoever is the latest, and catch up meanwhile. excess_ns: by row of `arrivals`; host: sorted.
bool are_all_late(const OwnSegments& own, const std::vector<int64_t>& excess_ns,
                  const std::vector<uint8_t>& possible, const std::vector<uint32_t>& host,
                  const std::vector<Occasion>& occasions);

}  // namespace lockstep::analysis
