// What the environment says about the job this process belongs to, so that hosts which were told
// nothing about each other agree on a name: the schedulers' and launchers' job ids, MASTER_ADDR,
// NCCL's own socket variables. Also what identifies this host and its clock. Called once, when the
// prober starts, on its thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/launcher.h"
#include "clocksync/wire/packet_auth.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

using Environment = Variables;  // tests pass their own

// The job's name, the same on all of its hosts: SLURM job and step, what another
// launcher calls the job, else MASTER_ADDR:MASTER_PORT, else empty.
std::string job_name(const Environment& environment);

// Host and port of the TCP rendezvous that the environment suggests, or empty. NCCL_COMM_ID only
// lends its host.
std::string master_host(const Environment& environment);

// The switch of SLURM's topology, else empty.
std::string pod_from_environment(const Environment& environment);

struct HostFacts {
  std::string name;  // gethostname()
  std::string boot_id;
  std::string clock_namespace;  // "time:[4026531834]"
  std::string net_namespace;    // "net:[4026531840]"
  std::string kernel;
  std::string clocksource;
};
HostFacts host_facts();

}  // namespace lockstep::clocksync
