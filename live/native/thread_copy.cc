#include "live/native/thread_copy.h"

#include <elf.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock_ns.h"

namespace lockstep::live {
namespace {

constexpr int64_t kBriskNs = 2'000'000;  // so long it is looked at without a pause
constexpr useconds_t kPauseUs = 200;     // afterwards
// 256 KiB hold thousands of frames; copying them takes some 50 us of the stop.
constexpr uint64_t kDeepestStackBytes = uint64_t{256} * 1024;
constexpr uint64_t kUnknownStackBytes = uint64_t{64} * 1024;  // of a mapping that was made since
// Below the stack pointer of x86-64 a function that calls none may keep values.
constexpr uint64_t kRedZoneBytes = 128;

#if defined(__x86_64__)
Registers registers_of(const user_regs_struct& user) {
  Registers registers;
  registers.by_number = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
                         user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
                         user.r12, user.r13, user.r14, user.r15, user.rip};
  registers.pc = user.rip;
  registers.sp = user.rsp;
  return registers;
}
#elif defined(__aarch64__)
Registers registers_of(const user_regs_struct& user) {
  Registers registers;
  std::copy(std::begin(user.regs), std::end(user.regs), registers.by_number.begin());
  registers.by_number[31] = user.sp;
  registers.pc = user.pc;
  registers.sp = user.sp;
  return registers;
}
#else
Registers registers_of(const user_regs_struct&) { return {}; }
#endif

// One thread, traced by the calling thread until this goes.
class Seized {
 public:
  explicit Seized(pid_t tid) : tid_(tid) {
    if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) error_ = errno;
  }
  ~Seized() { let_go(); }
  Seized(const Seized&) = delete;
  Seized& operator=(const Seized&) = delete;

  int error() const { return error_; }

  // False: it ended, or it does not stop.
  bool stop(int64_t patience_ns) {
    if (ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr) != 0) return false;
    const int64_t begin_ns = mono_now_ns();
    for (;;) {
      int status = 0;
      const pid_t who = waitpid(tid_, &status, __WALL | WNOHANG);
      if (who == tid_) return take(status);
      if (who < 0 && errno != EINTR) return false;
      const int64_t waited_ns = mono_now_ns() - begin_ns;
      unstoppable_ = waited_ns > patience_ns;
      if (unstoppable_) return false;
      if (waited_ns < kBriskNs)
        sched_yield();
      else
        usleep(kPauseUs);
    }
  }
  bool unstoppable() const { return unstoppable_; }

  bool read(Registers* registers) const {
    user_regs_struct user{};
    iovec memory{&user, sizeof user};
    if (ptrace(PTRACE_GETREGSET, tid_, reinterpret_cast<void*>(NT_PRSTATUS), &memory) != 0)
      return false;
    *registers = registers_of(user);
    return true;
  }

  void let_go() {
    if (!stopped_) return;
    stopped_ = false;
    const auto signal = static_cast<long>(signal_);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ptrace takes a number there
    ptrace(PTRACE_DETACH, tid_, nullptr, reinterpret_cast<void*>(signal));
  }

 private:
  // A signal may have come before our own stop. It is not ours: the thread gets it when it goes on.
  bool take(int status) {
    if (!WIFSTOPPED(status)) return false;
    stopped_ = true;
    const bool by_event = status >> 16 != 0;
    signal_ = by_event ? 0 : WSTOPSIG(status);
    return true;
  }

  pid_t tid_;
  int error_ = 0, signal_ = 0;
  bool stopped_ = false, unstoppable_ = false;
};

// End of the mapping that holds the address, 0 when there was none when the map was read.
uint64_t end_of(const std::vector<Mapping>& map, uint64_t address) {
  const auto next =
      std::upper_bound(map.begin(), map.end(), address,
                       [](uint64_t value, const Mapping& mapping) { return value < mapping.end; });
  return next == map.end() || address < next->start ? 0 : next->end;
}

// How many bytes of the process's memory were read, from the first on.
size_t read_memory(pid_t pid, uint64_t address, void* to, size_t bytes) {
  // One piece for each page: a read that meets a page which is not there gives what came before it.
  constexpr size_t kPage = 4096, kPieces = 128;
  size_t done = 0;
  while (done < bytes) {
    iovec pieces[kPieces];
    size_t count = 0, wanted = 0;
    while (count < kPieces && done + wanted < bytes) {
      const uint64_t at = address + done + wanted;
      const size_t length = std::min<size_t>(kPage - at % kPage, bytes - done - wanted);
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process
      pieces[count++] = {reinterpret_cast<void*>(at), length};
      wanted += length;
    }
    const iovec here{static_cast<char*>(to) + done, wanted};
    const ssize_t got = process_vm_readv(pid, &here, 1, pieces, count, 0);
    if (got <= 0) break;
    done += static_cast<size_t>(got);
    if (static_cast<size_t>(got) < wanted) break;
  }
  return done;
}

void copy_stack(pid_t pid, const std::vector<Mapping>& map, ThreadCopy* copy) {
  const uint64_t from = copy->registers.sp - std::min(copy->registers.sp, kRedZoneBytes);
  copy->stack_from = from;
  const uint64_t end = end_of(map, copy->registers.sp);
  copy->stack_end = end != 0 ? end : from + kUnknownStackBytes;
  copy->stack.resize(std::min(copy->stack_end - from, kDeepestStackBytes));
  copy->stack.resize(read_memory(pid, from, copy->stack.data(), copy->stack.size()));
}

}  // namespace

ThreadCopy copy_thread(pid_t pid, pid_t tid, const std::vector<Mapping>& map, int64_t patience_ns,
                       const std::function<void()>& while_stopped) {
  using Outcome = ThreadCopy::Outcome;
  ThreadCopy copy;
  Seized thread(tid);
  if (thread.error() != 0) {
    copy.outcome = thread.error() == ESRCH ? Outcome::Gone : Outcome::Refused;
    copy.error = thread.error();
    return copy;
  }
  const int64_t begin_ns = mono_now_ns();
  if (!thread.stop(patience_ns) || !thread.read(&copy.registers)) {
    copy.outcome = thread.unstoppable() ? Outcome::Unstoppable : Outcome::Gone;
    return copy;
  }
  copy.at_ns = mono_now_ns();
  copy_stack(pid, map, &copy);
  if (while_stopped) while_stopped();
  thread.let_go();
  copy.stopped_ns = mono_now_ns() - begin_ns;
  copy.outcome = Outcome::Copied;
  return copy;
}

}  // namespace lockstep::live
