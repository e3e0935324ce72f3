// What the rendezvous tests share: entries, and the names that a source
// found.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "clocksync/rendezvous/rendezvous_source.h"
#include "clocksync/wire/packet_auth.h"

namespace lockstep::clocksync {

inline HostEntry entry(const std::string& name, uint16_t port) {
  return {name, host_id_of(name), "127.0.0.1", port, "pod"};
}

inline std::vector<std::string> names(const Result<std::vector<HostEntry>>& hosts) {
  std::vector<std::string> found;
  if (!hosts.ok()) return {"error: " + hosts.message()};
  for (const HostEntry& host : hosts.value()) found.push_back(host.name);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace lockstep::clocksync
