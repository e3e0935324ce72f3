#include "hostload/sample/cgroups.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"
#include "hostload/sample/pressure.h"

namespace lockstep::hostload {
namespace {

constexpr size_t kMostCgroups = 16;
// Version 1 writes "no limit" as the largest multiple of a page.
constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

struct Mounts {
  std::string unified, cpu, memory;
};

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// A line: device, mount point, type, options.
Mounts find_mounts(const std::string& root) {
  Mounts mounts;
  const std::string text = read_kernel_file(root + "/proc/mounts");
  std::string_view left = text;
  while (!left.empty()) {
    std::string_view line = take_line(&left);
    take_word(&line);
    const std::string point = root + std::string(take_word(&line));
    const std::string_view type = take_word(&line), options = take_word(&line);
    if (type == "cgroup2") mounts.unified = point;
    if (type == "cgroup" && has_word(options, "cpu")) mounts.cpu = point;
    if (type == "cgroup" && has_word(options, "memory")) mounts.memory = point;
  }
  return mounts;
}

int64_t number_in(const std::string& path) { return leading_number(read_kernel_file(path)); }

// "max 100000" is none; version 1 says -1, which is no number here.
int64_t millis_of_quota(int64_t quota_us, int64_t period_us) {
  if (quota_us < 0 || period_us <= 0) return kNotSampled;
  return scaled(quota_us, 1000) / period_us;
}

int64_t cpu_quota(const Cgroup& cgroup) {
  if (cgroup.kind == Cgroup::Kind::Cpu) {
    const int64_t quota_us = number_in(cgroup.directory + "/cpu.cfs_quota_us");
    return millis_of_quota(quota_us, number_in(cgroup.directory + "/cpu.cfs_period_us"));
  }
  const std::string text = read_kernel_file(cgroup.directory + "/cpu.max");
  std::string_view left = text;
  const int64_t quota_us = take_number(&left);
  return millis_of_quota(quota_us, take_number(&left));
}

int64_t memory_limit(const Cgroup& cgroup) {
  const int64_t bytes =
      number_in(cgroup.directory +
                (cgroup.kind == Cgroup::Kind::Memory ? "/memory.limit_in_bytes" : "/memory.max"));
  return bytes >= kNoMemoryLimit ? kNotSampled : bytes;
}

bool has_limit(const Cgroup& cgroup) {
  return (cgroup.kind != Cgroup::Kind::Memory && cpu_quota(cgroup) != kNotSampled) ||
         (cgroup.kind != Cgroup::Kind::Cpu && memory_limit(cgroup) != kNotSampled);
}

// From `path` upwards. A container without a cgroup namespace of its own names paths that its mount
// does not have: then the mount's root is the container's group.
void add_levels(Cgroup::Kind kind, const char* tree, const std::string& mount, std::string path,
                std::vector<Cgroup>* found) {
  if (mount.empty()) return;
  if (path == "/" || access((mount + path).c_str(), X_OK) != 0) path.clear();
  for (bool own = true; found->size() < kMostCgroups; own = false) {
    Cgroup cgroup{kind, tree + (path.empty() ? "/" : path), mount + path};
    // The root of all groups has no limits, and what is used there is the host's.
    if ((own && !path.empty()) || has_limit(cgroup)) found->push_back(std::move(cgroup));
    if (path.empty()) return;
    path.resize(path.rfind('/'));
  }
}

void read_cpu(const Cgroup& cgroup, HostLoad* load) {
  load->millis_of_processors = cpu_quota(cgroup);
  const std::string text = read_kernel_file(cgroup.directory + "/cpu.stat");
  load->periods = number_after(text, "nr_periods");
  load->throttled_periods = number_after(text, "nr_throttled");
  load->throttled_ns = cgroup.kind == Cgroup::Kind::Cpu
                           ? number_after(text, "throttled_time")
                           : scaled(number_after(text, "throttled_usec"), kNsOfUs);
}

void read_memory(const Cgroup& cgroup, HostLoad* load) {
  const bool first = cgroup.kind == Cgroup::Kind::Memory;
  load->memory_limit_bytes = memory_limit(cgroup);
  load->memory_bytes =
      number_in(cgroup.directory + (first ? "/memory.usage_in_bytes" : "/memory.current"));
  if (first) load->memory_limit_hits = number_in(cgroup.directory + "/memory.failcnt");
  const std::string events =
      read_kernel_file(cgroup.directory + (first ? "/memory.oom_control" : "/memory.events"));
  if (!first) load->memory_limit_hits = number_after(events, "max");
  load->oom_kills = number_after(events, "oom_kill");
  load->memory_refaults =
      number_after(read_kernel_file(cgroup.directory + "/memory.stat"), "workingset_refault_file");
}

}  // namespace

std::vector<Cgroup> cgroups_of(const std::string& root, uint32_t pid) {
  const Mounts mounts = find_mounts(root);
  const std::string text = read_kernel_file(root + "/proc/" + std::to_string(pid) + "/cgroup");
  std::vector<Cgroup> found;
  std::string_view left = text;
  while (!left.empty()) {
    // "4:memory:/path"; version 2 has number 0 and no controllers.
    const std::string_view line = take_line(&left);
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (path.empty() || path[0] != '/' || path.find("/../") != std::string::npos) continue;
    if (controllers.empty()) add_levels(Cgroup::Kind::Unified, "", mounts.unified, path, &found);
    if (has_word(controllers, "cpu"))
      add_levels(Cgroup::Kind::Cpu, "cpu:", mounts.cpu, path, &found);
    if (has_word(controllers, "memory"))
      add_levels(Cgroup::Kind::Memory, "memory:", mounts.memory, path, &found);
  }
  return found;
}

void read_cgroup(const Cgroup& cgroup, HostLoad* load) {
  if (cgroup.kind != Cgroup::Kind::Memory) read_cpu(cgroup, load);
  if (cgroup.kind != Cgroup::Kind::Cpu) read_memory(cgroup, load);
  if (cgroup.kind != Cgroup::Kind::Unified) return;
  read_pressures([&](const char* what) { return cgroup.directory + "/" + what + ".pressure"; },
                 load);
}

}  // namespace lockstep::hostload
