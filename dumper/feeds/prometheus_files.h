// The names of the Prometheus files, and the end of those whose process is gone: they stay for a
// while, so that its last values are scraped, and no longer, because a metric that nobody updates
// is a lie. Called by the dump thread of a process that writes such files, and by recovery.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::dumper {

constexpr const char* kInspectorMetrics = "nccl_inspector_metrics_";
constexpr const char* kOwnMetrics = "lockstep_metrics_";

// `family` is one of the above.
std::string prometheus_file_name(const char* family, const std::string& gpu, uint32_t pid);

// Removes files of this user's dead processes on this machine, which calls itself `host`, once they
// are `keep_s` old. Those of living processes stay, and those of other machines in a shared folder.
void remove_dead_prometheus_files(const std::string& directory, const std::string& host,
                                  uint64_t keep_s);

}  // namespace lockstep::dumper
