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

// Whether a recording shows whose fault it is that goes on for a while. By calls alone a slow GPU is not
// told: a host waits for the end of a step, which comes at the same time on all ranks, whoever of them
// was slow. test/analysis/not_shown.sh exchanges culprits to prove it.
bool is_shown(const Fault& fault, uint32_t events);

}  // namespace lockstep::simulate
