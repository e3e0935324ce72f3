// From options to a prober that can run: job name, key, directories, interface, sockets, the plan
// of the rendezvous. Runs on the prober's thread after this process became the host's leader; may
// touch the file system.
#pragma once

#include <string>
#include <vector>

#include "clocksync/probe/probe_setup.h"
#include "clocksync/rendezvous/job_facts.h"
#include "clocksync/rendezvous/rendezvous.h"
#include "clocksync/wire/probe_socket.h"

namespace lockstep::clocksync {

struct PreparedProbe {
  ProbeSetup setup;
  std::vector<ProbeSocket> paths;  // as ProbePaths takes them
  RendezvousPlan plan;
};

struct ProbeIdentity {
  std::string job;
  std::string host;
  HostFacts facts;
};
ProbeIdentity identify(const ClockSyncOptions& options, const Environment& environment);

// The reason when probing is not possible here: no key, no interface, no port.
Result<PreparedProbe> prepare_probe(const ClockSyncOptions& options, const ProbeIdentity& identity,
                                    const Environment& environment);

}  // namespace lockstep::clocksync
