// One simulated job from its options to its run directory: recordings of all ranks and truth.json.
#pragma once

#include "lockstep/status.h"
#include "test/drivers/simulate/run_options.h"

namespace lockstep::simulate {

// Makes the directory when it is not there. The error names what of the options does not fit
// (`*fits` is false then, and nothing was written) or what cannot be written.
Status simulate_run(const RunOptions& options, bool* fits);

}  // namespace lockstep::simulate
