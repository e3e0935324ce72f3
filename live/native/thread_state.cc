#include "live/native/thread_state.h"

#include <dirent.h>
#include <sys/syscall.h>

#include <algorithm>

#include "base/system.h"
#include "base/text.h"

namespace lockstep::live {
namespace {

constexpr size_t kLongestProcFile = 4096;

std::string text_of(const std::string& path) {
  const Result<std::string> text = read_small_file(path, kLongestProcFile);
  std::string line = text.ok() ? text.value() : "";
  while (!line.empty() && (line.back() == '\n' || line.back() == '\0')) line.pop_back();
  return line;
}

struct NamedCall {
  long number;
  const char* name;
};

// Those that a thread may sleep in.
#define LOCKSTEP_CALL(name) \
  { SYS_##name, #name }
constexpr NamedCall kCalls[] = {
    LOCKSTEP_CALL(read),
    LOCKSTEP_CALL(write),
    LOCKSTEP_CALL(pread64),
    LOCKSTEP_CALL(pwrite64),
    LOCKSTEP_CALL(readv),
    LOCKSTEP_CALL(writev),
    LOCKSTEP_CALL(openat),
    LOCKSTEP_CALL(close),
    LOCKSTEP_CALL(fsync),
    LOCKSTEP_CALL(fdatasync),
    LOCKSTEP_CALL(flock),
    LOCKSTEP_CALL(fcntl),
    LOCKSTEP_CALL(ioctl),
    LOCKSTEP_CALL(futex),
    LOCKSTEP_CALL(nanosleep),
    LOCKSTEP_CALL(epoll_pwait),
    LOCKSTEP_CALL(clock_nanosleep),
    LOCKSTEP_CALL(ppoll),
    LOCKSTEP_CALL(pselect6),
    LOCKSTEP_CALL(accept),
    LOCKSTEP_CALL(accept4),
    LOCKSTEP_CALL(connect),
    LOCKSTEP_CALL(recvfrom),
    LOCKSTEP_CALL(recvmsg),
    LOCKSTEP_CALL(recvmmsg),
    LOCKSTEP_CALL(sendto),
    LOCKSTEP_CALL(sendmsg),
    LOCKSTEP_CALL(wait4),
    LOCKSTEP_CALL(waitid),
    LOCKSTEP_CALL(rt_sigtimedwait),
    LOCKSTEP_CALL(rt_sigsuspend),
    LOCKSTEP_CALL(semtimedop),
    LOCKSTEP_CALL(msgrcv),
    LOCKSTEP_CALL(msgsnd),
    LOCKSTEP_CALL(io_getevents),
    LOCKSTEP_CALL(sched_yield),
    LOCKSTEP_CALL(mmap),
    LOCKSTEP_CALL(munmap),
    LOCKSTEP_CALL(madvise),
    LOCKSTEP_CALL(restart_syscall),
#ifdef SYS_poll
    LOCKSTEP_CALL(poll),
    LOCKSTEP_CALL(select),
    LOCKSTEP_CALL(epoll_wait),
    LOCKSTEP_CALL(open),
    LOCKSTEP_CALL(pause),
#endif
#ifdef SYS_io_uring_enter
    LOCKSTEP_CALL(io_uring_enter),
#endif
};
#undef LOCKSTEP_CALL

// The file holds "running", "-1 SP PC" for a thread that sleeps outside a system call, or the
// call's number with its arguments.
std::string call_in(const std::string& line) {
  const auto number = parse_number<long>(std::string_view(line).substr(0, line.find(' ')));
  if (!number || *number < 0) return "";
  for (const NamedCall& call : kCalls)
    if (call.number == *number) return call.name;
  return "system call " + std::to_string(*number);
}

// The name stands in brackets and may hold any letter, brackets as well.
void take_stat(const std::string& line, ThreadState* thread) {
  const size_t open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  thread->name = line.substr(open + 1, close - open - 1);
  if (close + 2 < line.size()) thread->state = line[close + 2];
}

const char* word_of(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "waiting for a device or a file system";
    case 'T':
      return "stopped by a signal";
    case 't':
      return "stopped by a debugger";
    case 'Z':
    case 'X':
      return "dead";
    default:
      return "in an unknown state";
  }
}

}  // namespace

std::vector<ThreadState> threads_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task/";
  std::vector<pid_t> tids;
  if (DIR* entries = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(entries)) {
      if (const auto tid = parse_number<pid_t>(entry->d_name)) tids.push_back(*tid);
    }
    closedir(entries);
  }
  std::sort(tids.begin(), tids.end(),
            [pid](pid_t a, pid_t b) { return a != b && (a == pid || (b != pid && a < b)); });
  std::vector<ThreadState> threads;
  for (const pid_t tid : tids) {
    const std::string of_thread = folder + std::to_string(tid) + "/";
    ThreadState thread;
    thread.tid = tid;
    take_stat(text_of(of_thread + "stat"), &thread);
    if (thread.state == '?') continue;  // it ended meanwhile
    thread.wchan = text_of(of_thread + "wchan");
    if (thread.wchan == "0") thread.wchan.clear();
    thread.syscall = call_in(text_of(of_thread + "syscall"));
    threads.push_back(std::move(thread));
  }
  return threads;
}

std::string in_words(const ThreadState& state) {
  std::string words = word_of(state.state);
  if (!state.syscall.empty()) words += " in " + state.syscall;
  if (!state.wchan.empty()) words += " (" + state.wchan + ")";
  return words;
}

std::string command_of(pid_t pid) { return text_of("/proc/" + std::to_string(pid) + "/comm"); }

bool is_running(pid_t pid) {
  ThreadState main;
  take_stat(text_of("/proc/" + std::to_string(pid) + "/stat"), &main);
  return main.state != '?' && main.state != 'Z' && main.state != 'X';
}

}  // namespace lockstep::live
