// Whether the process that wrote an arena or a segment still runs, as far as this host can know.
// Used by recovery, which must not touch a living process's memory, and by readers, which say
// "still running" instead of "incomplete".
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::dumper {

struct ProcessIdentity {
  std::string host, boot_id;
  uint32_t pid = 0;
  uint64_t start = 0;  // /proc/PID/stat field 22: tells a reused pid
};

enum class ProcessState : uint8_t {
  Running,
  Dead,
  Elsewhere,  // another host, or a boot of it that cannot be told from another host
};

ProcessState process_state(const ProcessIdentity& process);
// Of a process of this machine; its start is 0 when there is none.
ProcessIdentity process_here(const std::string& host, uint32_t pid);
std::string this_boot_id();
// 0 when there is no such process.
uint64_t process_start_time(uint32_t pid);
// Its state as ps(1) shows it: R, S, D (waits in the kernel), T (stopped), ...; 0 when there is no such
// process.
char process_run_state(uint32_t pid);

}  // namespace lockstep::dumper
