// Every record of a run in time order, as JSON Lines handed to a sink: all processes merged, by
// CLOCK_MONOTONIC_RAW when they share one host's clock, else by the hosts' CLOCK_REALTIME as it was
// (`lockstep align` knows better).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

struct CatOptions {
  int kind = -1;       // number of the kind; -1 = all, with the communicators' own records
  int64_t rank = -1;   // of the communicator's member; -1 = all
  uint64_t limit = 0;  // of lines; 0 = all
  dumper::Selection selection;
};

// `write` gets whole lines; false ends it early. The result is a sentence for each place passed that
// cannot be read; the error says why nothing can.
Result<std::vector<std::string>> cat_run(const std::string& directory, const CatOptions& options,
                                         const std::function<bool(const std::string&)>& write);

}  // namespace lockstep::analysis
