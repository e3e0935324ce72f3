// Why the kernel does not let us trace a process, in words, for who has to do something about it.
// Any thread; reads /proc only.
#pragma once

#include <sys/types.h>

#include <string>

namespace lockstep::live {

// `error`: what ptrace(PTRACE_SEIZE) of the thread set errno to.
std::string why_refused(pid_t pid, pid_t tid, int error);

}  // namespace lockstep::live
