#include "analysis/report/report_snapshot.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostChanges = 12;

// Folders are called by the time of their report, so the last by name is the last by time.
std::filesystem::path last_snapshot(const std::string& run_directory) {
  std::filesystem::path last;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run_directory + "/summary", error)) {
    const std::filesystem::path file = entry.path() / "aggregate.csv";
    if (entry.path().filename() == "final" || !std::filesystem::is_regular_file(file, error))
      continue;
    last = std::max(last, file);
  }
  return last;
}

std::map<std::string, std::string> metrics_in(const std::filesystem::path& path) {
  std::map<std::string, std::string> metrics;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t comma = line.find(',');
    if (comma != std::string::npos) metrics[line.substr(0, comma)] = line.substr(comma + 1);
  }
  return metrics;
}

}  // namespace

std::string snapshot_sentence(const std::string& run_directory, const Report& report) {
  const std::filesystem::path path = last_snapshot(run_directory);
  if (path.empty()) return {};
  const std::map<std::string, std::string> before = metrics_in(path);
  std::vector<std::string> changes;
  size_t same = 0;
  for (const auto& [metric, value] : report.metrics) {
    const auto found = before.find(metric);
    if (found != before.end() && found->second == value) {
      ++same;
    } else {
      changes.push_back(metric + " " + (found == before.end() ? "nothing" : found->second) +
                        " -> " + value);
    }
  }
  const std::string tag = path.parent_path().filename().string();
  std::string text = "Since the snapshot summary/" + tag + ": ";
  if (changes.empty()) return text + "nothing differs in " + counted(same, "figure") + ".";
  const size_t more = changes.size() - std::min(changes.size(), kMostChanges);
  changes.resize(changes.size() - more);
  text += listed(changes);
  if (more != 0) text += " and " + std::to_string(more) + " more";
  return text + "; " + counted(same, "figure") + " the same.";
}

}  // namespace lockstep::analysis
