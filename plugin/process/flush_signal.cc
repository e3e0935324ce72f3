#include "plugin/process/flush_signal.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/text.h"

namespace lockstep::plugin {
namespace {

// What the handler knows: made once and kept for good, so that it never writes to another's descriptor.
// A forked child has both, and must not wake its parent.
std::atomic<int> signal_event{-1};
std::atomic<pid_t> signal_owner{0};

void on_flush_signal(int) {
  const int before = errno;
  const uint64_t one = 1;
  if (getpid() == signal_owner.load(std::memory_order_relaxed))
    static_cast<void>(!write(signal_event.load(std::memory_order_relaxed), &one,
                             sizeof one));  // full: it is awake
  errno = before;
}

int signal_number(std::string_view name) {
  if (starts_with(name, "SIG")) name.remove_prefix(3);
  if (name == "USR1") return SIGUSR1;
  return name == "USR2" ? SIGUSR2 : SIGHUP;
}

// SA_RESTART: what the program waits in goes on, where the kernel can do that.
Status take_signal(const std::string& name) {
  struct sigaction now {};
  struct sigaction ours {};
  sigaction(signal_number(name), nullptr, &now);
  if (now.sa_handler == on_flush_signal) return Status();
  if (now.sa_handler != SIG_DFL)
    return Status::error(
        "LOCKSTEP_SIGNAL=" + name + ": the program " +
        (now.sa_handler == SIG_IGN ? "ignores that signal" : "has a handler for that signal") +
        ", so it will not write the recording; name another one");
  ours.sa_handler = on_flush_signal;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(signal_number(name), &ours, nullptr);
  return Status();
}

}  // namespace

Status FlushSignal::start(const std::string& name, std::function<void()> flush) {
  if (name.empty() || thread_.running()) return Status();
  if (signal_event < 0) signal_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_event_ < 0) stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  Status no_thread = Status::error("LOCKSTEP_SIGNAL=" + name + ": cannot create a thread for it");
  if (signal_event < 0 || stop_event_ < 0) return no_thread;
  signal_owner = getpid();
  Status taken = take_signal(name);
  if (!taken.ok()) return taken;
  flush_ = std::move(flush);
  return thread_.start("lockstep-signal", run, this) ? Status() : no_thread;
}

FlushSignal::~FlushSignal() {
  stop();
  if (stop_event_ >= 0) close(stop_event_);
}

void FlushSignal::stop() {
  if (!thread_.running()) return;
  const uint64_t one = 1;
  if (write(stop_event_, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) return;
  thread_.join();
  uint64_t taken = 0;
  static_cast<void>(!read(stop_event_, &taken, sizeof taken));
}

void* FlushSignal::run(void* self) {
  static_cast<const FlushSignal*>(self)->serve();
  return nullptr;
}

void FlushSignal::serve() const {
  pollfd events[] = {{signal_event, POLLIN, 0}, {stop_event_, POLLIN, 0}};
  while (true) {
    if (poll(events, 2, -1) <= 0) continue;  // EINTR
    if (events[1].revents != 0) return;
    uint64_t signals = 0;
    if (read(signal_event, &signals, sizeof signals) != static_cast<ssize_t>(sizeof signals))
      continue;
    try {
      flush_();
    } catch (...) {  // out of memory: the next dump interval writes it
    }
  }
}

}  // namespace lockstep::plugin
