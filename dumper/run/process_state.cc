#include "dumper/run/process_state.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lockstep::dumper {
namespace {

std::string first_bytes(const std::string& path) {
  char buffer[1024];
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  const size_t size = std::fread(buffer, 1, sizeof buffer - 1, file);
  std::fclose(file);
  return std::string(buffer, size);
}

}  // namespace

std::string this_boot_id() {
  std::string id = first_bytes("/proc/sys/kernel/random/boot_id");
  return id.substr(0, id.find('\n'));
}

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? std::string(name) : std::string();
}

uint64_t process_start_time(uint32_t pid) {
  const std::string stat = first_bytes("/proc/" + std::to_string(pid) + "/stat");
  // The command in parentheses may hold blanks and parentheses: count fields from the last one.
  // State is field 3.
  size_t at = stat.rfind(')');
  if (at == std::string::npos || at + 2 >= stat.size()) return 0;
  if (stat[at + 2] == 'Z' || stat[at + 2] == 'X') return 0;  // its memory is gone
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(stat.c_str() + at + 1, nullptr, 10);
}

ProcessState process_state(const ProcessIdentity& process) {
  if (process.boot_id != this_boot_id()) {
    return process.host == this_host() ? ProcessState::Dead : ProcessState::Elsewhere;
  }
  const uint64_t start = process_start_time(process.pid);
  return start != 0 && start == process.start ? ProcessState::Running : ProcessState::Dead;
}

}  // namespace lockstep::dumper
