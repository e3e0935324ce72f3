#include "clocksync/rendezvous/rendezvous_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"

namespace lockstep::clocksync {
namespace {

constexpr size_t kLargestEntry = 4096;
constexpr uint64_t kLooksPerReadingAll = 10;

std::string text_of_file(const std::string& path) {
  const Result<std::string> text = read_small_file(path, kLargestEntry);
  return text.ok() ? text.value() : std::string();
}

class DirectorySource final : public RendezvousSource {
 public:
  DirectorySource(std::string directory, HostEntry self)
      : directory_(std::move(directory)), self_(std::move(self)) {
    own_file_ = directory_ + "/" + self_.name + ".json";
  }

  Result<std::vector<HostEntry>> look() override {
    if (!written_) {
      const Status status = write_own_entry();
      if (!status.ok()) return status;
      written_ = true;
    }
    DIR* dir = opendir(directory_.c_str());
    if (dir == nullptr) {
      return Status::error("rendezvous directory " + directory_ + ": " + std::strerror(errno));
    }
    // A host's entry changes only when its prober restarts: most looks read just the new files.
    const bool read_all = looks_++ % kLooksPerReadingAll == 0;
    while (const dirent* item = readdir(dir)) {
      const std::string name = item->d_name;
      if (!has_ending(name, ".json") || (!read_all && read_.count(name) != 0)) continue;
      // A file that is not an entry was not written by us; it must not stop the others.
      Result<HostEntry> entry = entry_from_json(text_of_file(directory_ + "/" + name));
      if (entry.ok() && name == entry.value().name + ".json") read_[name] = entry.value();
    }
    closedir(dir);
    std::vector<HostEntry> hosts;
    for (const auto& [name, entry] : read_) hosts.push_back(entry);
    return hosts;
  }

  void leave() override {
    if (written_ && text_of_file(own_file_) == entry_to_json(self_)) unlink(own_file_.c_str());
  }

 private:
  Status write_own_entry() const {
    const Status status = write_file(own_file_, entry_to_json(self_), IfExists::Replace, {0600});
    return status.ok() ? status : Status::error("rendezvous: " + status.message());
  }

  const std::string directory_;
  const HostEntry self_;
  std::string own_file_;
  bool written_ = false;
  std::map<std::string, HostEntry> read_;
  uint64_t looks_ = 0;
};

}  // namespace

std::unique_ptr<RendezvousSource> directory_source(const std::string& directory,
                                                   const HostEntry& self) {
  return std::make_unique<DirectorySource>(directory, self);
}

}  // namespace lockstep::clocksync
