// Which events NCCL starts under an activation mask: a bit also activates its ancestors.
#pragma once

#include "lockstep/event.h"

namespace lockstep::driver {

bool mask_wants(uint64_t mask, Kind kind);

}  // namespace lockstep::driver
