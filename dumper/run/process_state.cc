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

// Of a process's line in /proc from its state on, field 3. The command in parentheses before it may
// hold blanks and parentheses itself.
std::string state_and_later(uint32_t pid) {
  const std::string stat = first_bytes("/proc/" + std::to_string(pid) + "/stat");
  const size_t at = stat.rfind(')');
  return at == std::string::npos || at + 2 >= stat.size() ? std::string() : stat.substr(at + 2);
}

}  // namespace

std::string this_boot_id() {
  std::string id = first_bytes("/proc/sys/kernel/random/boot_id");
  return id.substr(0, id.find('\n'));
}

uint64_t process_start_time(uint32_t pid) {
  const std::string stat = state_and_later(pid);
  if (stat.empty() || stat[0] == 'Z' || stat[0] == 'X') return 0;  // its memory is gone
  size_t at = 0;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) {
    at = stat.find(' ', at);
    if (at != std::string::npos) ++at;
  }
  return at == std::string::npos ? 0 : std::strtoull(stat.c_str() + at, nullptr, 10);
}

char process_run_state(uint32_t pid) {
  const std::string stat = state_and_later(pid);
  return stat.empty() ? '\0' : stat[0];
}

ProcessIdentity process_here(const std::string& host, uint32_t pid) {
  return {host, this_boot_id(), pid, process_start_time(pid)};
}

ProcessState process_state(const ProcessIdentity& process) {
  if (process.boot_id != this_boot_id()) {
    return process.host == this_host() ? ProcessState::Dead : ProcessState::Elsewhere;
  }
  const uint64_t start = process_start_time(process.pid);
  return start != 0 && start == process.start ? ProcessState::Running : ProcessState::Dead;
}

}  // namespace lockstep::dumper
