// How the hosts of a job find each other with nothing but init() and the environment. Sources, each
// a small class: a shared directory (one JSON file per host), a line server over TCP on the
// master's host, SLURM's node list, a list given by hand. Without an explicit choice the directory
// is tried first (the run directory is usually shared), and after 10 s each the master and SLURM,
// until as many hosts as expected are known.
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
#include "lockstep/status.h"

namespace lockstep::clocksync {

class RendezvousSource {
 public:
  virtual ~RendezvousSource() = default;
  // The hosts known to this source now; may block for as long as a file system or a name server
  // does.
  virtual Result<std::vector<HostEntry>> look() = 0;
  // Takes this host's entry back. Called when the prober ends in order.
  virtual void leave() {}
  // True when look() should be called often because it also serves others.
  virtual bool serves() const { return false; }
};

std::unique_ptr<RendezvousSource> directory_source(const std::string& directory,
                                                   const HostEntry& self);
std::unique_ptr<RendezvousSource> tcp_source(const std::string& host, uint16_t port,
                                             const HostEntry& self, const SecretKey& secret);
// Names are resolved to the family of self's address; a host without a port of its own gets
// default_port.
std::unique_ptr<RendezvousSource> list_source(const std::vector<ListedHost>& hosts,
                                              uint16_t default_port, const HostEntry& self);

// Where a list given by hand says this host is, so that it binds that address and port.
struct ListedSelf {
  bool found = false;
  std::string address;
  uint16_t port = 0;
};
ListedSelf find_self(const std::vector<ListedHost>& hosts, const std::string& host_name);

struct RendezvousPlan {
  std::vector<std::unique_ptr<RendezvousSource>> sources;
  uint32_t expected_hosts = 0;
};

// What `choice` asks for ("", dir:PATH, tcp:HOST:PORT, slurm, static:LIST, none), in the order to
// try.
struct RendezvousFacts {
  std::string choice;
  std::string directory;  // of the run: <run>/clock/<job>
  uint16_t port = 0;      // LOCKSTEP_CLOCK_PORT
  HostEntry self;
  SecretKey secret{};
  uint32_t expected_hosts = 0;
};
Result<RendezvousPlan> plan_rendezvous(const RendezvousFacts& facts,
                                       const Environment& environment);

// Runs the plan until directory->stop; call on a thread of its own.
void run_rendezvous(RendezvousPlan plan, const HostEntry& self,
                    const std::shared_ptr<HostDirectory>& directory);

// One entry as one line of JSON, and back. The id is checked against the name.
std::string entry_to_json(const HostEntry& entry);
Result<HostEntry> entry_from_json(const std::string& text);

}  // namespace lockstep::clocksync
