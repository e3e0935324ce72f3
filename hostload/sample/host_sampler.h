// The host as a whole and the cgroups of the processes that record: one row each. One thread uses it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hostload/sample/cgroups.h"
#include "lockstep/load_record.h"

namespace lockstep::hostload {

class HostSampler {
 public:
  // `root` stands before /proc and /sys; empty but for tests.
  explicit HostSampler(std::string root) : root_(std::move(root)) {}

  // Looks up the cgroups of these processes.
  void set_processes(const std::set<uint32_t>& pids);
  // Adds the rows, and the cgroups they are about when the chunk has none yet.
  void sample(LoadChunk* chunk) const;

 private:
  void read_host(HostLoad* load) const;

  std::string root_;
  struct Watched {
    Cgroup cgroup;
    int64_t only_pid = kNotSampled;
  };
  std::vector<Watched> cgroups_;
};

}  // namespace lockstep::hostload
