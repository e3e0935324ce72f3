// The cgroups whose limits hold for this process and those it runs beside: its own, and those above
// it that have a limit. Of version 2 one group says all; of version 1 the controllers `cpu` and `memory`
// have a tree each, and a group is called "cpu:/path" or "memory:/path". One thread uses it.
#pragma once

#include <string>
#include <vector>

#include "lockstep/load_record.h"

namespace lockstep::hostload {

struct Cgroup {
  enum class Kind : uint8_t { Unified, Cpu, Memory };
  Kind kind = Kind::Unified;
  std::string name;
  std::string directory;  // below /sys/fs/cgroup, as a rule
};

// Those of process `pid`, from its own upwards; at most 16.
std::vector<Cgroup> cgroups_of(const std::string& root, uint32_t pid);

// What there is to read of one: usage, limits, throttling and pressure. `cgroup` and `raw_ns` are the
// caller's.
void read_cgroup(const Cgroup& cgroup, HostLoad* load);

}  // namespace lockstep::hostload
