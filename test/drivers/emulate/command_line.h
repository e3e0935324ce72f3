// The emulator's command line, and what a launcher's environment (torchrun, mpirun, srun) says
// about rank and world.
#pragma once

#include "test/drivers/emulate/options.h"

namespace lockstep::driver {

// -1: go on; otherwise the status to exit with (0 for --help, 2 for a usage error, which is already
// printed).
int parse_command_line(int argc, char** argv, EmulateOptions* options);

}  // namespace lockstep::driver
