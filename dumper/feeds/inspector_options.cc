#include "dumper/feeds/inspector_options.h"

#include <cstdlib>
#include <cstring>

#include "base/launcher.h"

namespace lockstep::dumper {
namespace {

constexpr const char* kUnnecessary[] = {
    "NCCL_INSPECTOR_DUMP_COLL_RING_SIZE", "NCCL_INSPECTOR_DUMP_P2P_RING_SIZE",
    "NCCL_INSPECTOR_COLL_POOL_SIZE",      "NCCL_INSPECTOR_P2P_POOL_SIZE",
    "NCCL_INSPECTOR_COMM_POOL_SIZE",      "NCCL_INSPECTOR_POOL_GROW"};

class Environment {
 public:
  explicit Environment(const char* const* entries) : entries_(entries) {}
  // nullptr when unset or empty.
  const char* text(const char* name) const {
    const size_t length = std::strlen(name);
    for (const char* const* entry = entries_; *entry != nullptr; ++entry) {
      if (std::strncmp(*entry, name, length) != 0 || (*entry)[length] != '=') continue;
      return (*entry)[length + 1] != '\0' ? *entry + length + 1 : nullptr;
    }
    return nullptr;
  }
  int64_t number(const char* name, int64_t otherwise) const {
    const char* value = text(name);
    return value != nullptr ? std::strtoll(value, nullptr, 10) : otherwise;
  }
  bool flag(const char* name, bool otherwise) const { return number(name, otherwise) != 0; }

  Variables variables() const { return variables_of(entries_); }

 private:
  const char* const* entries_;
};

std::string default_directory(const Environment& environment) {
  const std::string job = launch_fact(LaunchFact::Job, environment.variables(), Launcher::Slurm);
  return "nccl-inspector-" + (job.empty() ? "unknown-jobid" : job);
}

void tell_unnecessary(const Environment& environment, std::vector<Notice>* notices) {
  std::string names;
  for (const char* name : kUnnecessary) {
    if (environment.text(name) != nullptr) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (names.empty()) return;
  notices->push_back({Severity::Info, names + ": accepted and not needed, every operation is kept; "
                                              "LOCKSTEP_BUFFER_MB bounds the memory"});
}

}  // namespace

InspectorOptions read_inspector_options(const char* const* entries, std::vector<Notice>* notices) {
  const Environment environment(entries);
  InspectorOptions options;
  options.enabled = environment.flag("NCCL_INSPECTOR_ENABLE", false);
  if (!options.enabled) return options;
  options.p2p = environment.flag("NCCL_INSPECTOR_ENABLE_P2P", true);
  options.verbose = environment.flag("NCCL_INSPECTOR_DUMP_VERBOSE", false);
  options.prometheus = environment.flag("NCCL_INSPECTOR_PROM_DUMP", false);
  options.require_kernel_timing = environment.flag("NCCL_INSPECTOR_REQUIRE_KERNEL_TIMING", false);
  options.at_end_only = !environment.flag("NCCL_INSPECTOR_DUMP_THREAD_ENABLE", true);
  const int64_t interval_us =
      environment.number("NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS", -1);
  options.has_interval = interval_us >= 0;
  options.interval_us = options.has_interval ? static_cast<uint64_t>(interval_us) : 0;
  const int64_t min_size_bytes = environment.number("NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES", 0);
  options.min_size_bytes = min_size_bytes > 0 ? static_cast<uint64_t>(min_size_bytes) : 0;
  const char* directory = environment.text("NCCL_INSPECTOR_DUMP_DIR");
  options.directory = directory != nullptr ? directory : default_directory(environment);
  tell_unnecessary(environment, notices);
  return options;
}

}  // namespace lockstep::dumper
