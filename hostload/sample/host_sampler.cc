#include "hostload/sample/host_sampler.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"
#include "hostload/sample/pressure.h"

namespace lockstep::hostload {
namespace {

constexpr size_t kMostCgroupsOfHost = 64;
constexpr int64_t kBytesOfKb = 1024;

// The list names whole cgroups once; rows of a later sample may be about groups that joined it.
size_t place_of(const std::string& name, std::vector<std::string>* cgroups) {
  const auto found = std::find(cgroups->begin(), cgroups->end(), name);
  if (found != cgroups->end()) return static_cast<size_t>(found - cgroups->begin());
  cgroups->push_back(name);
  return cgroups->size() - 1;
}

}  // namespace

void HostSampler::set_processes(const std::set<uint32_t>& pids) {
  cgroups_.clear();
  for (const uint32_t pid : pids) {
    for (Cgroup& cgroup : cgroups_of(root_, pid)) {
      const auto known = std::find_if(cgroups_.begin(), cgroups_.end(), [&](const Watched& one) {
        return one.cgroup.name == cgroup.name;
      });
      if (known != cgroups_.end())
        known->only_pid = kNotSampled;
      else if (cgroups_.size() < kMostCgroupsOfHost)
        cgroups_.push_back({std::move(cgroup), int64_t{pid}});
    }
  }
}

// loadavg: "0.20 0.18 0.12 1/80 11206", the fourth being running and all threads.
void HostSampler::read_host(HostLoad* load) const {
  const std::string averages = read_kernel_file(root_ + "/proc/loadavg");
  std::string_view average = averages;
  load->load1_millis = thousandths(take_word(&average));
  take_word(&average);
  take_word(&average);
  load->runnable = take_number(&average);
  load->millis_of_processors =
      scaled(count_of_list(read_kernel_file(root_ + "/sys/devices/system/cpu/online")), 1000);
  const std::string memory = read_kernel_file(root_ + "/proc/meminfo");
  const int64_t total = scaled(number_after(memory, "MemTotal:"), kBytesOfKb);
  const int64_t available = scaled(number_after(memory, "MemAvailable:"), kBytesOfKb);
  load->memory_limit_bytes = total;
  if (total >= available && available >= 0) load->memory_bytes = total - available;
  read_pressures([&](const char* what) { return root_ + "/proc/pressure/" + what; }, load);
}

void HostSampler::sample(LoadChunk* chunk) const {
  HostLoad host;
  host.cgroup = static_cast<int64_t>(place_of("", &chunk->cgroups));
  host.raw_ns = raw_now_ns();
  read_host(&host);
  chunk->host_loads.push_back(host);
  for (const auto& [cgroup, only_pid] : cgroups_) {
    HostLoad load;
    load.cgroup = static_cast<int64_t>(place_of(cgroup.name, &chunk->cgroups));
    load.only_pid = only_pid;
    load.raw_ns = raw_now_ns();
    read_cgroup(cgroup, &load);
    chunk->host_loads.push_back(load);
  }
}

}  // namespace lockstep::hostload
