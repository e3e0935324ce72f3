// Hosts that were named beforehand: by hand ("name=address:port" gives a name to an address) or by
// SLURM. Used by the rendezvous thread, and once by the prober's thread to find this host's own
// place in the list; asks name servers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/rendezvous_source.h"

namespace lockstep::clocksync {

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

}  // namespace lockstep::clocksync
