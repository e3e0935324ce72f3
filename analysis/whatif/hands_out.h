// Who hands out what the others work on, as the rank of a server that takes requests: all wait for its broadcast
// whenever there is no work, and nothing recorded tells that from a rank that is late with it. Pure function.
#pragma once

#include <vector>

#include "analysis/whatif/occasions.h"

namespace lockstep::analysis {

// Most of these occasions of one rank are broadcasts of its own, now and then, on a communicator where nobody else
// broadcasts.
bool may_have_had_no_work(const RunTables& run, const std::vector<Occasion>& occasions);

}  // namespace lockstep::analysis
