// Lists of hosts as people and schedulers write them: SLURM's bracket syntax
// ("gpu[001-003,7],login1") and a plain list with optional ports ("h1,h2:4001,[fd00::2]:4001").
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

struct HostPort {
  std::string host;
  uint16_t port = 0;  // 0: not given
};

// "h1,h2:4001,[fd00::2]:4001,fd00::3"
Result<std::vector<HostPort>> parse_static_list(const std::string& list);

// One item of such a list.
Result<HostPort> parse_host_port(const std::string& item);

}  // namespace lockstep::clocksync
