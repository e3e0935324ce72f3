// `lockstep runs rm` and `prune`: removes what lockstep has made in a run directory, and the
// directory when nothing else is in it. Never a run with a living process, never anything else.
#pragma once

#include <string>
#include <vector>

#include "cli/job/run_rows.h"

namespace lockstep::cli {

enum class Consent {
  Ask,    // shows the runs and asks on the terminal
  Given,  // --yes
};
// The result is the command's exit code.
int remove_runs(const std::vector<RunRow>& runs, Consent consent);

}  // namespace lockstep::cli
