#include "cli/live/host_collection.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/job/file_move.h"
#include "live/questions/recording_file.h"

namespace lockstep::cli {
namespace {

constexpr size_t kMostHostsAtOnce = 16;  // what one disk takes in

// One file of one host.
class FileOfHost final : public MovedFile {
 public:
  FileOfHost(const live::Targets& host, live::RecordingFile file, const LiveArguments& arguments)
      : host_(host), file_(std::move(file)), arguments_(arguments) {}

  std::string name() const override { return file_.name + " of host " + host_.hosts.front().host; }
  Status append_rest(GrowingCopy* copy) override {
    Taker taker(copy);
    file_.from = copy->bytes();
    return ask("recording", &taker);
  }
  Result<FileFingerprint> fingerprint() override {
    if (!known_) {
      file_.from = file_.is.bytes;
      const Status asked = ask("recording", nullptr);
      if (!asked.ok()) return asked;
    }
    return file_.is;
  }
  Status remove() override { return ask("recording_taken", nullptr); }

 private:
  class Taker final : public live::PartTaker {
   public:
    explicit Taker(GrowingCopy* copy) : copy_(copy) {}
    bool take(const std::string&, const std::string&, std::string_view bytes) override {
      return copy_->append(bytes);
    }

   private:
    GrowingCopy* copy_;
  };

  // About the file; its answer says what it is.
  Status ask(const char* word, Taker* taker) {
    live::AskTerms terms = live_terms(arguments_);
    terms.max_bytes = file_.is.bytes;
    const live::Answers answers =
        live::ask_all(host_, {word, live::to_json(file_), live::this_asker()}, terms, taker);
    if (!answers.failed.empty()) return Status::error(answers.failed.front().reason);
    auto said = live::parse_recording_files(answers.hosts.front().rows);
    if (!said.ok() || said.value().size() != 1)
      return Status::error("its answer about " + file_.name + " is none");
    file_.is = said.value().front().is;
    known_ = true;
    return Status();
  }

  const live::Targets& host_;
  live::RecordingFile file_;
  const LiveArguments& arguments_;
  bool known_ = false;  // that `file_.is` has the checksum
};

struct Collected {
  size_t files = 0;
  uint64_t bytes = 0;
  Status status;
};

Collected collect_host(const live::Targets& host, const std::vector<live::RecordingFile>& files,
                       const LiveArguments& arguments, const std::string& directory) {
  Collected collected;
  std::error_code error;
  for (const live::RecordingFile& file : files) {
    const std::string to = directory + "/" + file.name;
    std::filesystem::create_directories(std::filesystem::path(to).parent_path(), error);
    FileOfHost from(host, file, arguments);
    const auto moved = move_file(&from, to);
    if (!moved.ok()) {
      collected.status = moved.status();
      return collected;
    }
    ++collected.files;
    collected.bytes += moved.value();
  }
  return collected;
}

// Of `targets`, the one with this name alone.
live::Targets only(const live::Targets& targets, const std::string& name) {
  live::Targets one = targets;
  one.hosts.erase(std::remove_if(one.hosts.begin(), one.hosts.end(),
                                 [&](const live::Target& host) { return host.host != name; }),
                  one.hosts.end());
  return one;
}

using Listed = Result<std::vector<live::RecordingFile>>;

// Hosts that share a folder list the same captures: each comes from the first of them.
std::vector<Listed> list_once(const std::vector<live::HostRows>& hosts) {
  std::vector<Listed> lists;
  std::set<std::string> captures;
  for (const live::HostRows& host : hosts) {
    lists.push_back(live::parse_recording_files(host.rows));
    if (!lists.back().ok()) continue;
    auto& files = lists.back().value();
    files.erase(std::remove_if(files.begin(), files.end(),
                               [&](const live::RecordingFile& file) {
                                 return starts_with(file.name, "captures/") &&
                                        !captures.insert(file.name).second;
                               }),
                files.end());
  }
  return lists;
}

void add(const std::string& host, const Collected& collected, const std::string& directory,
         HostCollection* all) {
  all->answers.bytes += collected.bytes;
  if (!collected.status.ok()) {
    all->answers.failed.push_back({host, collected.status.message()});
    return;
  }
  JsonFields row;
  row.object([&] {
    row.string("host", host);
    row.number("files", collected.files);
    row.number("bytes", collected.bytes);
  });
  all->answers.hosts.push_back({host, "[" + std::string(row.text()) + "]"});
  all->text += host + ": " + std::to_string(collected.files) + " files, " +
               std::to_string(collected.bytes) + " bytes copied to " + directory + "\n";
}

}  // namespace

Result<HostCollection> collect_from_hosts(const LiveArguments& arguments,
                                          const std::string& directory) {
  const auto targets = find_live_targets(arguments);
  if (!targets.ok()) return targets.status();
  HostCollection all;
  all.answers = live::ask_all(targets.value(), {"recordings", "", live::this_asker()},
                              live_terms(arguments), nullptr);
  const std::vector<live::HostRows> listed = std::move(all.answers.hosts);
  all.answers.hosts.clear();
  const std::vector<Listed> lists = list_once(listed);
  std::vector<Collected> collected(listed.size());
  in_parallel(listed.size(), static_cast<unsigned>(std::min(kMostHostsAtOnce, listed.size())),
              [&](size_t i) {
                if (!lists[i].ok()) {
                  collected[i].status = lists[i].status();
                } else {
                  collected[i] = collect_host(only(targets.value(), listed[i].host),
                                              lists[i].value(), arguments, directory);
                }
              });
  for (size_t i = 0; i < listed.size(); ++i) add(listed[i].host, collected[i], directory, &all);
  all.answers.hosts_answered = all.answers.hosts.size();
  return all;
}

}  // namespace lockstep::cli
