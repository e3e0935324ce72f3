// Lists of hosts as people and schedulers write them: SLURM's bracket syntax
// ("gpu[001-003,7],login1") and a plain list with optional names and ports ("h1,h2:4001,n3=[fd00::2]:4001").
// Pure functions; called when the rendezvous starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::clocksync {

// "gpu[001-003,7],login1" -> gpu001 gpu002 gpu003 gpu7 login1. Several brackets in one name
// multiply.
Result<std::vector<std::string>> expand_nodelist(const std::string& nodelist);

// Whether a program such as ssh can be given it: no option, and nothing in it that a shell would read.
bool is_host_name(const std::string& name);

struct HostPort {
  std::string host;
  uint16_t port = 0;  // 0: not given
};

// "h2:4001", "[fd00::2]:4001", "fd00::3".
Result<HostPort> parse_host_port(const std::string& item);

struct ListedHost {
  std::string name;  // what stands before `=`, else the host as it is written
  HostPort at;
};
// What LOCKSTEP_CLOCK_RENDEZVOUS=static: takes: "h1,h2:4001,node3=[fd00::2]:4001,fd00::3".
Result<std::vector<ListedHost>> parse_static_list(const std::string& list);

}  // namespace lockstep::clocksync
