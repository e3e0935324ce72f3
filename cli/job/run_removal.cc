#include "cli/job/run_removal.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "dumper/run/run_files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffixes[] = {".lks", ".lks.part", ".clock", ".load", ".arena", ".ctl"};
// Beside the folders that are reserved.
constexpr const char* kNames[] = {"pyramid",         "clock_model.json", "run.json",
                                  "snapshot.wanted", "summary.md",       "report.html",
                                  "operations.csv",  "steps.csv",        "aggregate.csv",
                                  "top.csv",         "classes.csv",      "spread.csv"};

bool is_ours(const std::string& path) {
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes),
                     [&](const char* suffix) { return has_ending(path, suffix); });
}

// Processes' files, then what was made of them, then the host directories that are empty now.
Status remove_ours(const std::string& run) {
  const auto files = dumper::run_files(run);
  if (!files.ok()) return files.status();
  std::error_code error, not_empty;
  std::set<std::string> hosts;
  for (const std::string& file : files.value()) {
    if (!is_ours(file)) continue;
    if (!error) fs::remove(file, error);
    if (dumper::parent_of(file) != run) hosts.insert(dumper::parent_of(file));
  }
  for (const char* name : kNames) {
    if (!error) fs::remove_all(run + "/" + name, error);
  }
  for (const char* folder : dumper::kReservedFolders) {
    if (!error) fs::remove_all(run + "/" + folder, error);
  }
  for (const std::string& host : hosts) fs::remove(host, not_empty);
  return error ? Status::error(error.message()) : Status();
}

bool remove(const RunRow& run) {
  const Status removed = remove_ours(run.path);
  if (!removed.ok()) {
    complain(run.path + ": cannot remove it: " + removed.message());
    return false;
  }
  std::error_code error;
  const auto others = std::distance(fs::directory_iterator(run.path, error), {});
  if (!error && others == 0) fs::remove(run.path, error);
  if (error) {
    complain(run.path + ": cannot remove it: " + error.message());
    return false;
  }
  print("removed " + run.path + "\n");
  if (others != 0)
    complain(run.path + " stays: " + std::to_string(others) + " files there are not lockstep's");
  return true;
}

bool agreed(size_t runs) {
  std::cerr << "Remove " << (runs == 1 ? "this run" : "these " + std::to_string(runs) + " runs")
            << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace

int remove_runs(const std::vector<RunRow>& runs, Consent consent) {
  for (const RunRow& run : runs) {
    if (run.running)
      return bad_input(run.path + ": a process still writes there; nothing was removed");
  }
  if (consent == Consent::Ask) {
    for (const RunRow& run : runs)
      std::cerr << run.path << "  " << run.state << "  " << run.bytes << " bytes\n";
    if (isatty(STDIN_FILENO) == 0)
      return bad_usage("nothing was removed: there is nobody to ask; --yes answers");
    if (!agreed(runs.size())) return kOk;
  }
  bool all = true;
  for (const RunRow& run : runs) all = remove(run) && all;
  return all ? kOk : kBadInput;
}

}  // namespace lockstep::cli
