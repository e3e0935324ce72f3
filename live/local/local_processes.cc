#include "live/local/local_processes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/system.h"
#include "base/text.h"
#include "dumper/recovery/memory_files.h"
#include "dumper/run/process_state.h"
#include "dumper/run/run_files.h"

namespace lockstep::live {
namespace {

using Key = std::pair<std::string, uint32_t>;  // host, pid

std::string run_of(const std::string& directory, const std::string& host) {
  return has_ending(directory, "/" + host) ? directory.substr(0, directory.size() - host.size() - 1)
                                           : directory;
}

std::vector<std::string> real_paths(const std::vector<std::string>& runs) {
  std::vector<std::string> paths;
  for (const std::string& run : runs) paths.push_back(dumper::real_path(run));
  return paths;
}

bool wanted(const LocalScope& scope, const std::vector<std::string>& runs, const std::string& host,
            const std::string& run) {
  return (scope.host.empty() || scope.host == host) &&
         (runs.empty() || std::find(runs.begin(), runs.end(), run) != runs.end());
}

// A memory file is proof that the process runs here; its socket has a name that follows from it.
void add_by_memory_files(const LocalScope& scope, const std::vector<std::string>& runs,
                         std::map<Key, LocalProcess>* found) {
  for (const std::string& path : dumper::memory_files()) {
    const auto file = dumper::read_memory_file(path);
    if (!file) continue;
    const std::string directory = dumper::real_path(file->run_directory);
    const std::string run = run_of(directory, file->process.host);
    // A run given may itself be named after a host.
    const bool ours = wanted(scope, runs, file->process.host, run) ||
                      wanted(scope, runs, file->process.host, directory);
    if (!ours || dumper::process_state(file->process) != dumper::ProcessState::Running) continue;
    LocalProcess& process = (*found)[{file->process.host, file->process.pid}];
    process = {file->process.host, file->process.pid, run, path, std::nullopt};
    ControlledProcess control{
        directory, file->process.host + "." + std::to_string(file->process.pid) + ".ctl"};
    if (is_listening(control)) process.control = std::move(control);
  }
}

void add_by_sockets(const LocalScope& scope, const std::vector<std::string>& runs,
                    std::map<Key, LocalProcess>* found) {
  for (const std::string& run : runs) {
    const auto controlled = controlled_processes(run);
    if (!controlled.ok()) continue;
    for (const ControlledProcess& control : controlled.value()) {
      const ControlName name = parse_control_name(control.name);
      if (name.host.empty() || (!scope.host.empty() && scope.host != name.host) ||
          found->count({name.host, name.pid}) != 0 || !is_listening(control))
        continue;
      (*found)[{name.host, name.pid}] = {name.host, name.pid, run, "", control};
    }
  }
}

}  // namespace

std::string own_host() {
  const char* given = std::getenv("LOCKSTEP_HOST");
  return given != nullptr && given[0] != '\0' ? given : this_host();
}

std::vector<LocalProcess> local_processes(const LocalScope& scope) {
  const std::vector<std::string> runs = real_paths(scope.runs);
  std::map<Key, LocalProcess> found;
  add_by_memory_files(scope, runs, &found);
  add_by_sockets(scope, runs, &found);
  std::vector<LocalProcess> processes;
  for (auto& [key, process] : found) processes.push_back(std::move(process));
  return processes;
}

Status can_answer(const LocalProcess& process) {
  const char state = dumper::process_run_state(process.pid);
  if (state == 'T' || state == 't') return Status::error("it is stopped by a signal or a debugger");
  return process.control ? Status() : Status::error("it has no control socket");
}

Result<std::set<std::string>> hosts_of_run(const std::string& run) {
  const auto files = dumper::run_files(run);
  if (!files.ok()) return files.status();
  std::set<std::string> hosts;
  for (const std::string& file : files.value()) {
    const ControlName name = parse_control_name(base_name(file));
    if (!name.host.empty()) hosts.insert(name.host);
  }
  return hosts;
}

}  // namespace lockstep::live
