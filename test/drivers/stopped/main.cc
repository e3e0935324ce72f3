// lockstep-stopped: what a process notices of being stopped. `calls`: a thread in each of many system calls that block;
// prints "ready", and after a line on stdin "CALL goes on" or "CALL ended with EINTR" for each. `gaps SECONDS`: a thread
// that does nothing but read the clock for so long; prints "ready", then each time, in ns, that it lost at one go, from
// 10 us on.
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/clock_ns.h"

namespace {

constexpr int kLongS = 600;  // nobody waits for that
constexpr int kLongMs = kLongS * 1000;
constexpr int64_t kGapNs = 10'000;

// Each blocks: with a result it has ended, and errno says how.
long in_read_of_a_pipe() {
  int ends[2];
  char byte = 0;
  return pipe(ends) == 0 ? read(ends[0], &byte, 1) : 0;
}
long in_read_of_an_eventfd() {
  uint64_t count = 0;
  return read(eventfd(0, 0), &count, sizeof count);
}
long in_read_of_a_timerfd() {
  uint64_t count = 0;
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec late{{0, 0}, {kLongS, 0}};
  timerfd_settime(timer, 0, &late, nullptr);
  return read(timer, &count, sizeof count);
}
long in_read_of_inotify() {
  char event[512];
  return read(inotify_init(), event, sizeof event);
}
long in_poll() {
  pollfd nothing{-1, 0, 0};
  return poll(&nothing, 1, kLongMs);
}
long in_select() {
  timeval limit{kLongS, 0};
  return select(0, nullptr, nullptr, nullptr, &limit);
}
long in_epoll_wait() {
  epoll_event event{};
  return epoll_wait(epoll_create1(0), &event, 1, kLongMs);
}
long in_epoll_wait_without_a_limit() {
  epoll_event event{};
  return epoll_wait(epoll_create1(0), &event, 1, -1);
}
int socket_pair(int option) {
  int ends[2] = {-1, -1};
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  const timeval limit{kLongS, 0};
  if (option != 0) setsockopt(ends[0], SOL_SOCKET, option, &limit, sizeof limit);
  return ends[0];
}
long in_recv() {
  char byte = 0;
  return recv(socket_pair(0), &byte, 1, 0);
}
long in_recv_with_SO_RCVTIMEO() {
  char byte = 0;
  return recv(socket_pair(SO_RCVTIMEO), &byte, 1, 0);
}
long in_send_of(int end) {
  const std::string bytes(1 << 16, 'x');
  long sent = 0;
  while ((sent = send(end, bytes.data(), bytes.size(), MSG_NOSIGNAL)) > 0) {
  }
  return sent;
}
long in_send() { return in_send_of(socket_pair(0)); }
long in_send_with_SO_SNDTIMEO() { return in_send_of(socket_pair(SO_SNDTIMEO)); }
long in_nanosleep() {
  const timespec limit{kLongS, 0};
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, nullptr) == 0 ? 0 : -1;
}
long in_futex() {
  static uint32_t word = 0;
  return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, nullptr, nullptr, 0);
}
long in_futex_with_a_limit() {
  static uint32_t word = 0;
  const timespec limit{kLongS, 0};
  return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &limit, nullptr, 0);
}
int one_semaphore() {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  return set;
}
long in_semop() {
  const int set = one_semaphore();
  sembuf down{0, -1, 0};
  return semop(set, &down, 1);
}
long in_semtimedop() {
  const int set = one_semaphore();
  sembuf down{0, -1, 0};
  const timespec limit{kLongS, 0};
  return semtimedop(set, &down, 1, &limit);
}
long in_msgrcv() {
  char message[64];
  return msgrcv(msgget(IPC_PRIVATE, 0600), message, 8, 0, 0);
}
long in_sigwaitinfo() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return sigwaitinfo(&set, nullptr);
}
long in_sigtimedwait() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  const timespec limit{kLongS, 0};
  return sigtimedwait(&set, nullptr, &limit);
}
long in_sigsuspend() {
  sigset_t all;
  sigfillset(&all);
  return sigsuspend(&all);
}
long in_pause() { return pause(); }
long in_wait4() {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  return waitpid(child, nullptr, 0);
}
long in_flock() {
  const std::string path = "/proc/self/exe";
  flock(open(path.c_str(), O_RDONLY), LOCK_EX);
  return flock(open(path.c_str(), O_RDONLY), LOCK_EX);
}
long in_io_getevents() {
  aio_context_t context = 0;
  io_event event{};
  if (syscall(SYS_io_setup, 1, &context) != 0) return 0;
  return syscall(SYS_io_getevents, context, 1, 1, &event, nullptr);
}

struct Call {
  const char* name;
  long (*run)();
  std::atomic<int> ended{0};  // 1 and errno
};
#define LOCKSTEP_CALL(name) \
  { #name, in_##name }
Call calls[] = {
    LOCKSTEP_CALL(read_of_a_pipe),
    LOCKSTEP_CALL(read_of_an_eventfd),
    LOCKSTEP_CALL(read_of_a_timerfd),
    LOCKSTEP_CALL(read_of_inotify),
    LOCKSTEP_CALL(poll),
    LOCKSTEP_CALL(select),
    LOCKSTEP_CALL(epoll_wait),
    LOCKSTEP_CALL(epoll_wait_without_a_limit),
    LOCKSTEP_CALL(recv),
    LOCKSTEP_CALL(recv_with_SO_RCVTIMEO),
    LOCKSTEP_CALL(send),
    LOCKSTEP_CALL(send_with_SO_SNDTIMEO),
    LOCKSTEP_CALL(nanosleep),
    LOCKSTEP_CALL(futex),
    LOCKSTEP_CALL(futex_with_a_limit),
    LOCKSTEP_CALL(semop),
    LOCKSTEP_CALL(semtimedop),
    LOCKSTEP_CALL(msgrcv),
    LOCKSTEP_CALL(sigwaitinfo),
    LOCKSTEP_CALL(sigtimedwait),
    LOCKSTEP_CALL(sigsuspend),
    LOCKSTEP_CALL(pause),
    LOCKSTEP_CALL(wait4),
    LOCKSTEP_CALL(flock),
    LOCKSTEP_CALL(io_getevents),
};

int run_calls() {
  std::atomic<size_t> begun{0};
  for (Call& call : calls) {
    std::thread([&call, &begun] {
      ++begun;
      errno = 0;
      const long result = call.run();
      call.ended = result == -1 ? 1 + errno : 1;
    }).detach();
  }
  while (begun < std::size(calls)) usleep(1000);
  sleep(1);  // until each is in its call
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
  for (const Call& call : calls) {
    const int ended = call.ended;
    const char* how = ended == 0           ? "goes on"
                      : ended == 1         ? "ended"
                      : ended - 1 == EINTR ? "ended with EINTR"
                                           : std::strerror(ended - 1);
    std::printf("%s %s\n", call.name, how);
  }
  std::fflush(stdout);
  kill(0, SIGKILL);  // with the child of wait4, whoever started us in a group of our own
  return 0;
}

int run_gaps(double seconds) {
  std::vector<int64_t> gaps;
  gaps.reserve(1 << 20);
  std::puts("ready");
  std::fflush(stdout);
  const int64_t end_ns = lockstep::mono_now_ns() + static_cast<int64_t>(seconds * 1e9);
  for (int64_t last_ns = lockstep::mono_now_ns(); last_ns < end_ns;) {
    const int64_t now_ns = lockstep::mono_now_ns();
    if (now_ns - last_ns >= kGapNs && gaps.size() < gaps.capacity())
      gaps.push_back(now_ns - last_ns);
    last_ns = now_ns;
  }
  for (const int64_t gap_ns : gaps) std::printf("%lld\n", static_cast<long long>(gap_ns));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "calls" && count == 2) return run_calls();
  if (what == "gaps" && count == 3) return run_gaps(std::atof(arguments[2]));
  std::fprintf(stderr, "usage: lockstep-stopped calls | gaps SECONDS\n");
  return 2;
}
