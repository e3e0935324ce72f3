#include "cli/job/pbs_job.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "clocksync/rendezvous/host_list.h"

namespace lockstep::cli {
namespace {

CommandLine settings_to_take_along() {
  CommandLine words = {"env"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const bool is_ours = starts_with(text, "LOCKSTEP_") && !starts_with(text, "LOCKSTEP_HOST=");
    if (is_ours || starts_with(text, "NCCL_SOCKET_IFNAME=")) words.push_back(text);
  }
  return words;
}

}  // namespace

std::vector<PbsHost> pbs_hosts(const std::string& node_file) {
  std::vector<PbsHost> hosts;
  std::ifstream file(node_file);
  size_t number = 0;
  for (std::string name; std::getline(file, name); ++number) {
    const bool is_known = std::any_of(hosts.begin(), hosts.end(),
                                      [&](const PbsHost& host) { return host.name == name; });
    if (!is_known && clocksync::is_host_name(name)) hosts.push_back({name, number});
  }
  return hosts;
}

bool has_pbsdsh() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/pbsdsh").c_str(), X_OK) == 0) return true;
  }
  return false;
}

CommandLine on_pbs_host(const PbsHost& host, const CommandLine& command,
                        const std::string& output) {
  CommandLine there = settings_to_take_along();
  there.insert(there.end(), command.begin(), command.end());
  if (!has_pbsdsh())
    return {"ssh",
            "-T",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=10",
            "--",
            host.name,
            "exec " + shown(there)};
  CommandLine words = {"pbsdsh",  "-n", std::to_string(host.line),   "--",
                       "/bin/sh", "-c", "exec \"$@\" >>\"$0\" 2>&1", output};
  words.insert(words.end(), there.begin(), there.end());
  return words;
}

}  // namespace lockstep::cli
