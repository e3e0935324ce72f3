// What the kernel tells of a thread without stopping it: its name, whether it runs, what it waits in.
// Read from /proc/PID/task/TID/{stat,wchan,syscall}. The last two need the right to trace the process
// and are left out without it. Any thread; never waits.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::live {

struct ThreadState {
  pid_t tid = 0;
  std::string name;   // at most 15 letters
  char state = '?';   // as `ps` prints it: R running, S sleeping, D waiting for a device, T stopped
  std::string wchan;  // the kernel's function that it sleeps in; empty: not known
  std::string syscall;  // "futex", "system call 451"; empty: none, or not known
};

// Of a live process, the main thread first, the others by number. Empty when there is no such process.
std::vector<ThreadState> threads_of(pid_t pid);

// "sleeping in futex (futex_do_wait)", "running"
std::string in_words(const ThreadState& state);

// The process's own fields of /proc/PID.
std::string command_of(pid_t pid);  // its name, at most 15 letters; empty when it is gone
bool is_running(pid_t pid);         // neither gone nor a zombie

}  // namespace lockstep::live
