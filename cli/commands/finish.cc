// `lockstep finish DIR`: what `lockstep run` does after the program, for a run whose `lockstep run`
// was killed or could not reach every node. The epilog calls it on each node of a job.
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/system.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/job/collection.h"
#include "cli/job/run_finish.h"
#include "cli/job/run_note.h"
#include "cli/show/output.h"
#include "dumper/recovery/recover.h"
#include "dumper/run/run_files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct FinishArguments {
  std::string directory;
  bool last = false;
};

std::vector<std::string> files_of(const std::string& directory) {
  const auto files = dumper::run_files(directory);
  return files.ok() ? files.value() : std::vector<std::string>();
}

// Each process keeps a file beside its segments for as long as it has memory that could be
// recovered, on whichever host.
bool some_are_left(const std::string& directory) {
  const std::vector<std::string> files = files_of(directory);
  return std::any_of(files.begin(), files.end(),
                     [](const std::string& file) { return has_ending(file, ".arena"); });
}

// With --node-local, a host that compared its clock with others' and has no segment here yet.
bool some_are_elsewhere(const std::string& directory) {
  const std::string clock = ".clock";
  const std::vector<std::string> files = files_of(directory);
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return has_ending(file, clock) && dumper::parent_of(file) == directory &&
           !dumper::is_host_directory(file.substr(0, file.size() - clock.size()));
  });
}

// The report is there, and no segment came after summary/recover.txt, which is written before the
// answers are begun.
bool answered(const std::string& directory) {
  std::error_code no_report, no_begin, error;
  const auto report = fs::last_write_time(directory + "/report.html", no_report);
  const auto begin = fs::last_write_time(directory + "/summary/recover.txt", no_begin);
  if (no_report || no_begin || report < begin) return false;
  const std::vector<std::string> files = files_of(directory);
  return std::none_of(files.begin(), files.end(), [&](const std::string& file) {
    return has_ending(file, ".lks") && fs::last_write_time(file, error) > begin;
  });
}

int run(const FinishArguments& arguments) {
  const std::string& directory = arguments.directory;
  const std::string local = local_of(directory);
  if (!local.empty()) {
    const auto collected = collect_recordings(local, directory);
    if (!collected.ok()) return bad_input(this_host() + ": " + collected.message());
    print(this_host() + ": " + collected.value() + "\n");
  }
  // One at a time: the epilogs of all nodes come at once. Held until this process ends.
  const int lock = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return bad_input(directory + ": cannot be opened: " + std::strerror(errno));
  flock(lock, LOCK_EX);
  const auto recovered = dumper::recover_run(directory);
  if (!recovered.ok()) return bad_input(recovered.message());
  std::string told;
  for (const dumper::RecoveredProcess& process : recovered.value()) told += process.sentence + "\n";
  print(told);
  if (arguments.last &&
      (some_are_left(directory) || (!local.empty() && some_are_elsewhere(directory)))) {
    print("other hosts still have data to recover; the last `lockstep finish` writes the report\n");
    return kOk;
  }
  if (answered(directory)) {
    print(directory + ": the report is newer than every segment; nothing to do\n");
    return kOk;
  }
  std::error_code error;
  fs::create_directories(directory + "/summary", error);
  // After what other hosts said, which may be why one of them is missing.
  const std::string log = directory + "/summary/recover.txt";
  std::ofstream(log, std::ios::app) << told;
  fs::last_write_time(log, fs::file_time_type::clock::now(), error);  // also where nothing is told
  FinishPlan plan;
  plan.directory = directory;
  ChildProcess process;
  write_answers(process, plan);
  print("summaries are in " + directory + "/summary\n");
  return kOk;
}

}  // namespace

void add_finish(base::Command& lockstep) {
  const auto arguments = std::make_shared<FinishArguments>();
  base::Command command =
      lockstep.command("finish", "Recover and report on a run whose `lockstep run` was killed",
                       [arguments] { return run(*arguments); });
  command.option("DIR", &arguments->directory, "The run directory").required();
  command.flag("--last", &arguments->last,
               "Report only if no other host has anything left to recover");
}

}  // namespace lockstep::cli
