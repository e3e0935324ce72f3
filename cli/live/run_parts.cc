#include "cli/live/run_parts.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "analysis/clock/align.h"
#include "base/text.h"
#include "clocksync/record/clock_model_json.h"

namespace lockstep::cli {
namespace {

// The files of the hosts in one directory. What all hosts have, they have once: of a model of the
// clocks the first one counts.
class FileTaker final : public live::PartTaker {
 public:
  explicit FileTaker(std::string directory) : directory_(std::move(directory)) {}

  bool take(const std::string& host, const std::string& name, std::string_view bytes) override {
    const auto owner = owners_.emplace(name, host).first;
    if (owner->second != host) return true;
    const std::string path = directory_ + "/" + base_name(name);
    std::FILE* file = std::fopen(path.c_str(), "abe");
    if (file == nullptr) return false;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    return std::fclose(file) == 0 && written;
  }

 private:
  const std::string directory_;
  std::map<std::string, std::string> owners_;  // host, by name
};

}  // namespace

std::vector<live::SliceRow> take_run_parts(const live::Targets& targets,
                                           const live::SliceRequest& request,
                                           const live::AskTerms& terms,
                                           const std::string& directory, live::Answers* answers) {
  FileTaker taker(directory);
  *answers =
      live::ask_all(targets, {"slice", live::to_json(request), live::this_asker()}, terms, &taker);
  std::vector<live::SliceRow> rows;
  for (const live::HostRows& host : answers->hosts) {
    for (live::SliceRow& row : live::parse_slice_rows(host.rows)) rows.push_back(std::move(row));
  }
  return rows;
}

void align_parts(const std::string& directory, const std::vector<live::SliceRow>& rows) {
  const bool several = std::any_of(rows.begin(), rows.end(), [&](const live::SliceRow& row) {
    return row.host != rows.front().host;
  });
  const std::string path = directory + "/" + clocksync::kClockModelFile;
  if (!several || std::filesystem::exists(path)) return;
  analysis::AlignOptions options;
  options.without_collectives = true;
  auto aligned = analysis::align_run(directory, options);
  if (!aligned.ok() || !aligned.value().all_connected())
    aligned = analysis::align_run(directory, analysis::AlignOptions());
  if (aligned.ok()) static_cast<void>(clocksync::save_clock_model(aligned.value().model, path));
}

}  // namespace lockstep::cli
