// Calls that NCCL really makes and no tidy plugin expects: foreign contexts and parents, double and
// null stops, ops that never stop, timestamps that run backwards, a mask that changes. Played once,
// on the calling thread.
#pragma once

#include "test/drivers/emulate/communicator.h"

namespace lockstep::driver {

void play_hazards(Plugin* plugin, void* context, ApiState* api);

}  // namespace lockstep::driver
