// How an agent is found: RUN/agents/<host>.json, written whole when the agent listens and removed at
// its end, and the run's key beside it. One whose agent died without removing it is told by the
// process that it names, on the agent's own machine; elsewhere by nobody listening. The folder has mode
// 0700 and its files 0600. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "clocksync/wire/packet_auth.h"
#include "dumper/run/process_state.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct Registration {
  dumper::ProcessIdentity process;  // its host as processes are recorded under it
  std::string address;              // numeric; empty: no TCP
  uint16_t port = 0;
  std::string net_namespace;
  std::string started;   // UTC
  std::string version;   // of lockstep
  std::string key_name;  // of the key that it takes (live/wire/hello.h)
};

std::string registration_json(const Registration& registration);
Result<Registration> parse_registration(std::string_view json);

// Makes the folder; replaces what an earlier agent of the host left.
Status write_registration(const std::string& run, const Registration& registration);
// Removes it if it is still this one.
void remove_registration(const std::string& run, const Registration& registration);
// By host. Files that hold something else, or another host than their name, are passed over; so are
// those of agents that are gone, as far as this machine knows.
std::map<std::string, Registration> read_registrations(const std::string& run);

// RUN/agents/<host>.sock, where the agent's own host reaches it.
std::string socket_path(const std::string& run, const std::string& host);

// The run's key, RUN/agents/key; the first to ask for it makes it.
Result<clocksync::SecretKey> run_key(const std::string& run);
std::string run_key_path(const std::string& run);

}  // namespace lockstep::live
