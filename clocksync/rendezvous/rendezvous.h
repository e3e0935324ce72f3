// How the hosts of a job find each other with nothing but init() and the environment. Sources, each
// a small class (rendezvous_source.h): a shared directory (one JSON file per host), a line server
// over TCP on the master's host, SLURM's node list, a list given by hand. Without an explicit
// choice the directory is tried first (the run directory is usually shared), and after 10 s each
// the master and SLURM, until as many hosts as expected are known.
//
// One detached thread per prober looks every second, every 10 s once all are known. It never blocks
// the prober: see host_directory.h. Each host's own entry is part of what it publishes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clocksync/rendezvous/host_directory.h"
#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/job_facts.h"
#include "clocksync/rendezvous/rendezvous_source.h"
#include "clocksync/wire/packet_auth.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

struct RendezvousPlan {
  std::vector<std::unique_ptr<RendezvousSource>> sources;
  uint32_t expected_hosts = 0;
};

struct RendezvousFacts {
  // "", dir:PATH, tcp:HOST:PORT, slurm, static:LIST or none
  std::string choice;
  // of the run: <run>/clock/<job>
  std::string directory;
  // LOCKSTEP_CLOCK_PORT
  uint16_t port = 0;
  HostEntry self;
  SecretKey secret{};
  uint32_t expected_hosts = 0;
};
// The sources that `choice` asks for, in the order to try.
Result<RendezvousPlan> plan_rendezvous(const RendezvousFacts& facts,
                                       const Environment& environment);

// Runs the plan until directory->stop; call on a thread of its own.
void run_rendezvous(RendezvousPlan plan, const HostEntry& self,
                    const std::shared_ptr<HostDirectory>& directory);

}  // namespace lockstep::clocksync
