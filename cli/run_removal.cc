#include "cli/run_removal.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/output.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffixes[] = {".lks", ".clock", ".arena", ".ctl"};
constexpr const char* kNames[] = {
    "clock",      "clock_model.json", "run.json",       "summary",       "snapshot",
    "summary.md", "report.html",      "operations.csv", "aggregate.csv", "top.csv"};

bool is_ours(const fs::path& path) {
  const auto equals = [](const std::string& text) {
    return [&text](const char* known) { return text == known; };
  };
  const std::string name = path.filename().string(), suffix = path.extension().string();
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), equals(suffix)) ||
         std::any_of(std::begin(kNames), std::end(kNames), equals(name));
}

bool remove(const RunRow& run) {
  std::error_code error;
  std::vector<fs::path> ours;
  size_t others = 0;
  for (const auto& entry : fs::directory_iterator(run.path, error)) {
    if (is_ours(entry.path())) {
      ours.push_back(entry.path());
    } else {
      ++others;
    }
  }
  for (const fs::path& path : ours) {
    if (!error) fs::remove_all(path, error);
  }
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

int remove_runs(const std::vector<RunRow>& runs, bool yes) {
  for (const RunRow& run : runs) {
    if (run.running)
      return bad_input(run.path + ": a process still writes there; nothing was removed");
  }
  if (!yes) {
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
