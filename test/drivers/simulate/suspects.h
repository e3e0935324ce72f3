// Whom a recording of a hang may mean, where its events do not tell the rank at fault from others: the
// ranks that look like it, it among them. Pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

// World ranks in ascending order; none: the recording tells. `events` is a bit per Kind.
std::vector<int> suspects_of(const Fault& fault, const Layout& layout,
                             const std::vector<Program>& programs, uint32_t events);

}  // namespace lockstep::simulate
