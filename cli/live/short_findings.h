// What a look at the ranks' standings tells without any recording being read: who keeps whom waiting,
// in a line each. `lockstep diagnose` knows more and says why.
#pragma once

#include <string>
#include <vector>

#include "cli/live/standings.h"

namespace lockstep::cli {

// The longest waits first. Of communicators in which ranks have stood in one operation for at least
// `least_ns`.
std::vector<std::string> short_findings(const std::vector<CommStandings>& comms, int64_t least_ns);

}  // namespace lockstep::cli
