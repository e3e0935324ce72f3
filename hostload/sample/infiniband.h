// What the ports of InfiniBand and RoCE adapters count, and their links: everything that is a number
// below /sys/class/infiniband/DEVICE/ports/PORT/{counters,hw_counters}, and state, phys_state and rate.
// Asking an adapter may wait for its firmware, so this belongs on a thread that nobody waits for.
#pragma once

#include <string>

#include "hostload/sample/net_counters.h"

namespace lockstep::hostload {

// `root` stands before /sys; empty but for tests. At most 4096 counters.
void read_infiniband(const std::string& root, const TakeCounter& take);
bool has_infiniband(const std::string& root);

}  // namespace lockstep::hostload
