#include "dumper/run/process_state.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/system.h"

namespace lockstep::dumper {
namespace {

std::string first_bytes(const std::string& path) {
  const Result<std::string> text = read_small_file(path, 4096);
  return text.ok() ? text.value() : std::string();
}

}  // namespace

std::string this_boot_id() {
  std::string id = first_bytes("/proc/sys/kernel/random/boot_id");
  return id.substr(0, id.find('\n'));
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
