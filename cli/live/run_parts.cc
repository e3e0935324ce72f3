#include "cli/live/run_parts.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

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
    bool written = file != nullptr;
    if (written) {
      written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
      written = std::fclose(file) == 0 && written;
    }
    if (!written) unwritten_[host] = "cannot write " + path + ": " + std::strerror(errno);
    return written;
  }
  // Why a host's answer broke off, where the fault is ours.
  void explain(std::vector<live::FailedHost>* failed) const {
    for (live::FailedHost& host : *failed) {
      const auto reason = unwritten_.find(host.host);
      if (reason != unwritten_.end()) host.reason = reason->second;
    }
  }
  // What came of hosts that did not get to the end of their answers: they count as hosts that said
  // nothing, and half a recording would make their ranks look late.
  void forget_all_but(const std::set<std::string>& hosts) {
    for (const auto& [name, host] : owners_) {
      if (hosts.count(host) == 0) std::remove((directory_ + "/" + base_name(name)).c_str());
    }
  }

 private:
  const std::string directory_;
  std::map<std::string, std::string> owners_;     // host, by name
  std::map<std::string, std::string> unwritten_;  // reason, by host
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
  std::set<std::string> answered;
  for (const live::HostRows& host : answers->hosts) {
    answered.insert(host.host);
    for (live::SliceRow& row : live::parse_slice_rows(host.rows)) rows.push_back(std::move(row));
  }
  taker.forget_all_but(answered);
  taker.explain(&answers->failed);
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
