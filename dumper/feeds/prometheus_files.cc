#include "dumper/feeds/prometheus_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <memory>

#include "base/clock_ns.h"
#include "base/text.h"
#include "dumper/feeds/prometheus_metrics.h"
#include "dumper/run/process_state.h"

namespace lockstep::dumper {
namespace {

constexpr const char* kBeforePid = "-pid";
constexpr const char* kEnding = ".prom";
constexpr int64_t kSecondNs = 1'000'000'000;

// The process that a file is of, by its name; 0: it is none of ours.
uint32_t pid_in(const std::string& name) {
  if (!starts_with(name, kInspectorMetrics) && !starts_with(name, kOwnMetrics)) return 0;
  const size_t at = name.rfind(kBeforePid);
  if (at == std::string::npos) return 0;
  uint32_t pid = 0;
  const char* const end = name.data() + name.size();
  const auto number = std::from_chars(name.data() + at + 4, end, pid);
  return number.ec == std::errc() && std::string(number.ptr, end) == kEnding ? pid : 0;
}

// Whether a process of this number runs that was there when the file was written. One that began
// later has got the number again.
bool writer_is_alive(uint32_t pid, int64_t written_ns) {
  const uint64_t start_ticks = process_start_time(pid);
  if (start_ticks == 0) return false;
  const int64_t boot_ns = real_now_ns() - clock_now_ns(CLOCK_BOOTTIME);
  const auto ticks_in_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  const auto start_ns = static_cast<int64_t>(start_ticks * (kSecondNs / ticks_in_second));
  return boot_ns + start_ns <= written_ns + kSecondNs;
}

// The first sample's labels say which machine it is.
bool is_of_host(int file, const std::string& host, uint32_t pid) {
  constexpr size_t kHead = 8192;
  std::string head(kHead, '\0');
  const ssize_t got = read(file, head.data(), head.size());
  head.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const std::string process = label("node", host) + "," + label("pid", std::to_string(pid));
  return head.find(process) != std::string::npos;
}

bool has_had_its_time(const std::string& path, const std::string& host, uint32_t pid,
                      uint64_t keep_s) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat facts {};
  const bool own = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid();
  const int64_t written_ns = facts.st_mtim.tv_sec * kSecondNs + facts.st_mtim.tv_nsec;
  const bool old = real_now_ns() - written_ns >= static_cast<int64_t>(keep_s) * kSecondNs;
  const bool dead = own && old && is_of_host(file, host, pid) && !writer_is_alive(pid, written_ns);
  close(file);
  return dead;
}

}  // namespace

std::string prometheus_file_name(const char* family, const std::string& gpu, uint32_t pid) {
  return family + gpu + kBeforePid + std::to_string(pid) + kEnding;
}

void remove_dead_prometheus_files(const std::string& directory, const std::string& host,
                                  uint64_t keep_s) {
  const std::unique_ptr<DIR, int (*)(DIR*)> files(opendir(directory.c_str()), closedir);
  if (files == nullptr) return;
  while (const dirent* entry = readdir(files.get())) {
    const uint32_t pid = pid_in(entry->d_name);
    const std::string path = directory + "/" + entry->d_name;
    if (pid != 0 && has_had_its_time(path, host, pid, keep_s)) unlink(path.c_str());
  }
}

}  // namespace lockstep::dumper
