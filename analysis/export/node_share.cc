#include "analysis/export/node_share.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "analysis/join/part_file.h"
#include "analysis/join/process_load.h"
#include "analysis/load/run.h"
#include "base/parallel.h"

namespace lockstep::analysis {
namespace {

using Hosts = std::map<std::string, std::vector<const dumper::ProcessEntry*>>;

Hosts hosts_of(const dumper::RunDirectory& run) {
  Hosts hosts;
  for (const dumper::ProcessEntry& process : run.processes) hosts[process.host].push_back(&process);
  return hosts;
}

// Calls work(host, its processes) for each host that this node takes.
template <class Work>
Status for_taken(const NodeShare& share, const std::string& what, const Hosts& hosts, Work work) {
  const size_t first = hosts.size() * share.node / std::max<size_t>(share.nodes, 1);
  for (size_t i = 0; i < hosts.size(); ++i) {
    const auto host = std::next(hosts.begin(), static_cast<ptrdiff_t>((first + i) % hosts.size()));
    const std::string claim = share.parts + "/" + what + "." + host->first;
    if (mkdir(claim.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return Status::error(claim + ": " + std::strerror(errno));
    }
    Status done = work(host->first, host->second);
    if (!done.ok()) return done;
  }
  return {};
}

}  // namespace

Status share_of_processes(const NodeShare& share) {
  const auto run = dumper::RunDirectory::open(share.directory);
  if (!run.ok()) return run.status();
  return for_taken(
      share, "processes", hosts_of(run.value()), [&](const std::string&, const auto& processes) {
        Status failure;
        std::mutex mutex;  // guards failure
        in_parallel(processes.size(), share.threads, [&](size_t i) {
          const auto loaded = load_process(*processes[i]);
          if (processes[i] == &run.value().processes.front())
            add_directory_notes(run.value(), loaded.get());
          const Status written = write_part(
              *loaded, share.parts + "/" + std::to_string(processes[i]->uid) + kPartSuffix);
          const std::lock_guard<std::mutex> lock(mutex);
          if (!written.ok()) failure = written;
        });
        return failure;
      });
}

Status share_of_details(const NodeShare& share, const std::string& format) {
  const auto directory = dumper::RunDirectory::open(share.directory);
  if (!directory.ok()) return directory.status();
  LoadOptions load;
  load.parts = share.parts;
  load.part_rows = PartRows::NoOperations;
  const auto run = load_run(share.directory, load);
  if (!run.ok()) return run.status();
  const ExportInput input = export_input(share.directory, *run.value());
  ExportOptions options;
  options.format = format;
  options.output = share.parts;
  options.threads = share.threads;
  return for_taken(
      share, "details", hosts_of(directory.value()),
      [&](const std::string& host, const auto&) { return export_host(input, options, host); });
}

}  // namespace lockstep::analysis
