#include "live/native/trace_right.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/system.h"

namespace lockstep::live {
namespace {

constexpr size_t kLongestStatusFile = 16384;

// 0 where the kernel has no Yama.
int yama_scope() {
  const auto text = read_small_file("/proc/sys/kernel/yama/ptrace_scope", kLongestStatusFile);
  return text.ok() ? std::atoi(text.value().c_str()) : 0;
}

// Whose process has seized the thread already; 0 = nobody's.
int tracer_of(pid_t pid, pid_t tid) {
  const auto text =
      read_small_file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/status",
                      kLongestStatusFile);
  constexpr const char* kField = "\nTracerPid:";
  const size_t at = text.ok() ? text.value().find(kField) : std::string::npos;
  return at == std::string::npos ? 0 : std::atoi(text.value().c_str() + at + std::strlen(kField));
}

}  // namespace

std::string why_refused(pid_t pid, pid_t tid, int error) {
  struct stat process {};
  const bool known = stat(("/proc/" + std::to_string(pid)).c_str(), &process) == 0;
  if (error != EPERM && error != EACCES)
    return std::string("the kernel cannot trace it: ") + std::strerror(error);
  if (known && geteuid() != 0 && process.st_uid != geteuid())
    return "it belongs to another user, or may not be traced; its owner or root can read its "
           "stacks";
  if (const int tracer = tracer_of(pid, tid))
    return "process " + std::to_string(tracer) + " traces it already";
  switch (yama_scope()) {
    case 0:
      return "the kernel does not let us trace it: this may be a container without that right "
             "(CAP_SYS_PTRACE, seccomp), or the program forbids it (PR_SET_DUMPABLE)";
    case 1:
      return "the kernel lets only its parents trace it (kernel.yama.ptrace_scope is 1)";
    case 2:
      return "the kernel lets only root trace (kernel.yama.ptrace_scope is 2)";
    default:
      return "the kernel lets nobody trace (kernel.yama.ptrace_scope is 3)";
  }
}

}  // namespace lockstep::live
