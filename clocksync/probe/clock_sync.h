// The clock prober as its owner sees it: start it, stop it. The plugin starts it at the first
// enabled init and stops it at the last finalize; lockstep-clockd does the same for hosts without
// ranks. Both calls return at once: everything (rendezvous, waiting to be this host's leader,
// probing, writing `<host>.clock`) happens on threads of its own with all signals blocked. start()
// while running only counts a user; the last stop() ends it and waits 50 ms at most. After fork()
// the child has no prober and holds none of its sockets and locks.
//
// It never leaves loopback without a key unless told so, never changes a clock, a network card or a
// priority, and reads no option from the environment itself (only facts of the job, see
// job_facts.h).
#pragma once

#include "clocksync/probe/clock_sync_health.h"
#include "clocksync/probe/clock_sync_options.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

// Refuses impossible options with a sentence; everything that can fail later is logged and recorded
// instead.
Status start_clock_sync(const ClockSyncOptions& options);
void stop_clock_sync();

ClockSyncHealth clock_sync_health();

}  // namespace lockstep::clocksync
