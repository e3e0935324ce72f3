#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "base/own_file.h"
#include "clocksync/rendezvous/rendezvous.h"

namespace lockstep::clocksync {
namespace {

constexpr size_t kLargestEntry = 4096;
constexpr uint64_t kLooksPerReadingAll = 10;

bool has_suffix(const std::string& text, const std::string& suffix) {
  return text.size() > suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

std::string read_small_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return "";
  char text[kLargestEntry];
  const size_t size = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  return std::string(text, size);
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
      if (!has_suffix(name, ".json") || (!read_all && read_.count(name) != 0)) continue;
      // A file that is not an entry was not written by us; it must not stop the others.
      Result<HostEntry> entry = entry_from_json(read_small_file(directory_ + "/" + name));
      if (entry.ok() && name == entry.value().name + ".json") read_[name] = entry.value();
    }
    closedir(dir);
    std::vector<HostEntry> hosts;
    for (const auto& [name, entry] : read_) hosts.push_back(entry);
    return hosts;
  }

  void leave() override {
    if (written_ && read_small_file(own_file_) == entry_to_json(self_)) unlink(own_file_.c_str());
  }

 private:
  // Written beside and renamed, so that a reader sees all of it or nothing.
  Status write_own_entry() const {
    const std::string draft = own_file_ + ".new" + std::to_string(getpid());
    std::FILE* file = open_own_file_to_write(draft);
    const std::string text = entry_to_json(self_);
    bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file != nullptr) good = std::fclose(file) == 0 && good;
    good = good && std::rename(draft.c_str(), own_file_.c_str()) == 0;
    if (good) return Status();
    const std::string reason = std::strerror(errno);
    unlink(draft.c_str());
    return Status::error("rendezvous file " + own_file_ + " cannot be written: " + reason);
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
