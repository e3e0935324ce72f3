#include "hostload/sample/recorded_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"
#include "hostload/sample/task_files.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::hostload {
namespace {

// Blocks that one look() reads of a process: a thread keeps its block for long, and two system calls
// each add up. While a process is new its threads are, too: then more.
constexpr int kBlocksALook = 16, kBlocksAFirstLook = 1024;
constexpr int kFirstLooks = 20;
constexpr uint32_t kArenaVersion = 1;
constexpr const char* kSuffix = ".blocks";

// The head of an ArenaHeader, up to what other threads write to.
using Head = std::array<char, offsetof(ArenaHeader, ended)>;

template <class Number>
Number number_at(const Head& head, size_t offset) {
  Number number{};
  std::memcpy(&number, head.data() + offset, sizeof number);
  return number;
}
std::string text_at(const Head& head, size_t offset, size_t size) {
  return std::string(head.data() + offset, strnlen(head.data() + offset, size));
}

bool is_own_file(int file) {
  struct stat facts {};
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid();
}

}  // namespace

struct RecordedThreads::Process {
  KernelFile file;
  uint64_t uid = 0, start = 0;
  uint32_t pid = 0;
  off_t next = static_cast<off_t>(kFirstBlockOffset);  // block to look at
  int looks = 0;
};

RecordedThreads::RecordedThreads(RecordedThreadsOptions options) : options_(std::move(options)) {
  const std::string id = read_kernel_file(options_.root + "/proc/sys/kernel/random/boot_id");
  std::string_view left = id;
  boot_id_ = take_line(&left);
}

RecordedThreads::~RecordedThreads() = default;

void RecordedThreads::look(std::vector<LoadThread>* found) {
  find_processes();
  for (auto at = processes_.begin(); at != processes_.end();) {
    if (is_alive(at->second)) {
      look_into(&at->second, found);
      ++at;
    } else {
      foreign_.insert(at->first);
      at = processes_.erase(at);
    }
  }
}

void RecordedThreads::find_processes() {
  const std::string prefix = "lockstep-" + std::to_string(geteuid()) + "-";
  std::set<std::string> foreign;  // those that are still there
  for (const std::string& folder : options_.folders) {
    const Directory directory(opendir(folder.c_str()));
    if (directory == nullptr) continue;
    while (const dirent* entry = readdir(directory.get())) {
      const std::string name = entry->d_name;
      if (!starts_with(name, prefix) || !has_ending(name, kSuffix)) continue;
      const std::string path = folder + "/" + name;
      if (foreign_.count(path) != 0) {
        foreign.insert(path);
      } else if (processes_.count(path) == 0) {
        add_process(path);
      }
    }
  }
  foreign_.swap(foreign);
}

// One that is just being made names no run yet and is looked at again the next time.
void RecordedThreads::add_process(const std::string& path) {
  Process process;
  process.file = KernelFile(path, O_NOFOLLOW);
  if (!process.file.is_open()) return;
  Head head;
  const bool ours =
      is_own_file(process.file.fd()) &&
      pread(process.file.fd(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size());
  const std::string run =
      ours ? text_at(head, offsetof(ArenaHeader, run_dir), kPathBytes) : std::string();
  if (run == options_.run_directory) {
    process.uid = number_at<uint64_t>(head, offsetof(ArenaHeader, process_uid));
    process.start = number_at<uint64_t>(head, offsetof(ArenaHeader, process_start));
    process.pid = number_at<uint32_t>(head, offsetof(ArenaHeader, pid));
    const std::string boot =
        text_at(head, offsetof(ArenaHeader, boot_id), sizeof ArenaHeader::boot_id);
    if (number_at<uint64_t>(head, 0) == kArenaMagic &&
        number_at<uint32_t>(head, offsetof(ArenaHeader, version)) == kArenaVersion &&
        boot == boot_id_ && is_alive(process)) {
      processes_.emplace(path, std::move(process));
      return;
    }
  }
  if (!run.empty()) foreign_.insert(path);
}

// Its memory file is removed when it has written everything, and stays when it was killed.
bool RecordedThreads::is_alive(const Process& process) const {
  struct stat facts {};
  const std::string stat_path = options_.root + "/proc/" + std::to_string(process.pid) + "/stat";
  return fstat(process.file.fd(), &facts) == 0 && facts.st_nlink != 0 &&
         start_time(KernelFile(stat_path).read()) == process.start;
}

// Blocks that were given back are holes, over which SEEK_DATA leads.
void RecordedThreads::look_into(Process* process, std::vector<LoadThread>* found) const {
  constexpr auto kFirst = static_cast<off_t>(kFirstBlockOffset);
  constexpr auto kStep = static_cast<off_t>(kBlockBytes);
  std::set<uint32_t> tids;
  const int most = process->looks < kFirstLooks ? kBlocksAFirstLook : kBlocksALook;
  process->looks += process->looks < kFirstLooks ? 1 : 0;
  for (int looked = 0; looked < most; ++looked) {
    const off_t data = lseek(process->file.fd(), process->next, SEEK_DATA);
    process->next = data < kFirst ? kFirst : data - (data - kFirst) % kStep;
    BlockHeader block{};
    if (data < 0 || pread(process->file.fd(), static_cast<void*>(&block), sizeof block,
                          process->next) != static_cast<ssize_t>(sizeof block)) {
      process->next = kFirst;  // that was the last
      return;
    }
    process->next += kStep;
    const uint32_t tid = block.tid.load(std::memory_order_relaxed);
    if (block.sequence.load(std::memory_order_relaxed) == 0 || tid == 0 || !tids.insert(tid).second)
      continue;
    found->push_back(
        {process->uid, process->pid, tid,
         std::string(block.thread_name, strnlen(block.thread_name, sizeof block.thread_name))});
  }
}

}  // namespace lockstep::hostload
