// What a prober is given when it starts, beside its sockets: made by prepare_probe(), never changed
// afterwards. Plain data.
#pragma once

#include <string>

#include "clocksync/probe/clock_sync_options.h"
#include "clocksync/rendezvous/host_directory.h"
#include "clocksync/wire/packet_auth.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

struct ProbeSetup {
  ClockSyncOptions options;
  HostEntry self;
  std::string job;
  SecretKey secret{};
  // Another process of this host probed before.
  bool takeover = false;
  // The facts of this host; the prober fills in what only it knows.
  ClockHello hello;
};

}  // namespace lockstep::clocksync
