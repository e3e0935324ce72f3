// LD_PRELOAD: clocks as in a sandbox. Every clock_gettime is a system call, as where the kernel
// offers no vDSO; and a seccomp filter refuses the one for a thread's processor time, which is
// never in the vDSO, with EPERM.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t id, timespec* time) {
  return static_cast<int>(syscall(SYS_clock_gettime, id, time));
}

__attribute__((constructor)) static void enter() {
  constexpr unsigned kCall = offsetof(seccomp_data, nr), kId = offsetof(seccomp_data, args);
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCall),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kId),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_THREAD_CPUTIME_ID, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("sandbox: no seccomp here");
    std::_Exit(77);
  }
  timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    std::_Exit(78);  // the filter does nothing
}
