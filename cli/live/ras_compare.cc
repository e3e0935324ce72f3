#include "cli/live/ras_compare.h"

#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "analysis/load/run.h"
#include "analysis/tables/labels.h"
#include "base/clock_ns.h"
#include "cli/live/ras_witness.h"
#include "live/local/control_client.h"

namespace lockstep::cli {
namespace {

using analysis::RunTables;

// Whose count, and of what. Rows of `members` differ from load to load; processes and ids do not.
struct Launcher {
  uint64_t comm_id = 0;
  int64_t size = 0;
  int32_t rank = -1;
  uint32_t pid = 0;
  std::string func;
  bool operator<(const Launcher& other) const {
    return std::tie(comm_id, size, rank, pid, func) <
           std::tie(other.comm_id, other.size, other.rank, other.pid, other.func);
  }
};
using Launches = std::map<Launcher, uint64_t>;

// Sends and receives, and what NCCL makes of them, it does not count by call.
bool is_counted(const std::string& func) {
  return func == "AllReduce" || func == "AllGather" || func == "ReduceScatter" ||
         func == "Broadcast" || func == "Reduce";
}

// Replays of a graph are not launched by NCCL again.
Launches recorded_launches(const RunTables& run) {
  Launches launches;
  for (const analysis::OperationRow& row : run.operations) {
    if (row.kind == analysis::OpKind::PointToPoint || row.replay > 1 ||
        !is_counted(run.text(row.func)))
      continue;
    const analysis::CommunicatorRow& comm = run.communicators[row.communicator];
    ++launches[{comm.comm_id, comm.nranks, row.rank, run.processes[row.process].pid,
                run.text(row.func)}];
  }
  return launches;
}

// So that what was recorded until now can be read; a process that does not answer shows as a
// difference, if it has launched anything since.
void flush_processes(const std::string& directory) {
  const auto processes = live::controlled_processes(directory);
  if (!processes.ok()) return;
  for (const live::ControlledProcess& process : processes.value())
    static_cast<void>(
        live::ask_process(process, "flush", mono_now_ns() + live::kControlPatienceNs));
}

Result<std::shared_ptr<const RunTables>> load(const std::string& directory) {
  flush_processes(directory);
  auto run = analysis::load_run(directory, {});
  if (!run.ok()) return run.status();
  return std::shared_ptr<const RunTables>(std::move(run.value()));
}

// Of the ranks that this run recorded.
Launches launches_said(const RunTables& run, const live::RasReport& report, uint64_t* ranks) {
  Launches said;
  for (const live::RasCommunicator& comm : report.communicators) {
    for (const live::RasRank& rank : comm.ranks) {
      if (comm.size < 2 || member_of(run, comm, rank.rank, rank.pid) == analysis::kNoRow) continue;
      ++*ranks;
      for (const auto& [func, count] : rank.launched) {
        if (is_counted(func)) said[{comm.hash, comm.size, rank.rank, rank.pid, func}] = count;
      }
    }
  }
  return said;
}

uint64_t count_in(const Launches& launches, const Launcher& launcher) {
  const auto found = launches.find(launcher);
  return found == launches.end() ? 0 : found->second;
}

bool all_equal(const Launches& said, const Launches& recorded) {
  for (const auto& [launcher, count] : said) {
    if (count_in(recorded, launcher) != count) return false;
  }
  return true;
}

std::string difference(const Launcher& launcher, uint64_t said, uint64_t recorded) {
  return "rank " + std::to_string(launcher.rank) + ", pid " + std::to_string(launcher.pid) +
         ", of communicator " + analysis::hex_text(launcher.comm_id) + ": NCCL has launched " +
         std::to_string(said) + " " + launcher.func + " by its own count (RAS), " +
         std::to_string(recorded) + " are recorded";
}

}  // namespace

Result<RasComparison> compare_with_ras(const std::string& directory) {
  auto run = load(directory);
  if (!run.ok()) return run.status();
  const RasDoor door = ras_door(*run.value());
  if (door.address.empty())
    return Status::error(door.why_not.empty()
                             ? directory +
                                   ": none of its processes runs on this host, so there is "
                                   "no RAS to ask; without --ras it is verified as it lies"
                             : door.why_not);
  const auto report = ask_run_ras(directory, *run.value(), door.address);
  if (!report.ok()) return report.status();
  RasComparison comparison;
  const Launches said = launches_said(*run.value(), report.value(), &comparison.ranks);
  const Launches before = recorded_launches(*run.value());
  Launches after = before;
  if (!all_equal(said, before)) {
    run = load(directory);
    if (!run.ok()) return run.status();
    after = recorded_launches(*run.value());
  }
  for (const auto& [launcher, count] : said) {
    comparison.launches += count;
    const uint64_t least = count_in(before, launcher), most = count_in(after, launcher);
    if (count < least || count > most)
      comparison.differences.push_back(difference(launcher, count, count < least ? least : most));
  }
  return comparison;
}

}  // namespace lockstep::cli
