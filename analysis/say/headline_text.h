// What a finding says above everything else, short enough for a wall: who, on which host, by their ranks in the largest
// communicator, and what that costs. Communicators have their names only: the finding itself tells those of one name apart.
// What has no short form is said as the finding says it. Pure function of the facts; as findings.h.
#pragma once

#include <string>

#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// `share`: of the run's time that it costs; not above 0: not known.
std::string headline_text(const RunTables& run, const Finding& finding, double share);

// How many ranks wait in all that stands still because of it; 0: it tells of no single ranks.
size_t waiting_ranks(const RunTables& run, const Finding& finding);

}  // namespace lockstep::analysis
