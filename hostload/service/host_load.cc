#include "hostload/service/host_load.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/clock_ns.h"
#include "base/host_lock.h"
#include "base/system.h"
#include "base/thread.h"
#include "hostload/record/load_file.h"

namespace lockstep::hostload {
namespace {

constexpr int kJoinPatienceMs = 50;
constexpr int64_t kLeadRetryNs = 1'000'000'000;

// The lock of the one sampler that this process may lead with: what a forked child has to let go of.
std::atomic<int> lock_fd{-1};

void after_fork_in_child() {
  const int fd = lock_fd.exchange(-1, std::memory_order_relaxed);
  if (fd >= 0) close(fd);
}

// Also when the thread ends because memory ran out.
struct Led {
  explicit Led(int fd) { lock_fd.store(fd, std::memory_order_relaxed); }
  ~Led() { lock_fd.store(-1, std::memory_order_relaxed); }
};

// Processes that see each other in /proc and share clock and directory.
std::string lock_name(const SamplerOptions& options) {
  const std::string what = options.host + "\n" + options.run_directory + "\n" +
                           link_target("/proc/self/ns/time") + "\n" + link_target("/proc/self/ns/pid");
  return "lockstep-load/" + std::to_string(geteuid()) + "/" +
         std::to_string(std::hash<std::string>()(what));
}

}  // namespace

struct HostLoad::Session {
  HostLoadOptions options;
  int stop_fd = -1;

  ~Session() {
    if (stop_fd >= 0) close(stop_fd);
  }
  // True when it is time to end.
  bool wait(int64_t ns) const {
    pollfd item = {stop_fd, POLLIN, 0};
    const timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
    return ppoll(&item, 1, &time, nullptr) > 0;
  }
  void lead() const;
  void sample(LoadWriter writer) const;
};

void HostLoad::Session::lead() const {
  HostLock lock(lock_name(options.sampler));
  while (!lock.try_take()) {
    if (wait(kLeadRetryNs)) return;
  }
  const Led led(lock.fd());
  Result<LoadWriter> writer = LoadWriter::open(options.sampler.run_directory, options.sampler.host);
  if (writer.ok()) {
    sample(std::move(writer.value()));
  } else if (options.log) {
    options.log("host load: " + writer.message() + "; it is not recorded");
  }
}

void HostLoad::Session::sample(LoadWriter writer) const {
  Sampler sampler(options.sampler);
  bool told = false;
  const auto write = [&] {
    LoadChunk chunk = sampler.take();
    const Status written = writer.append(&chunk);
    if (!written.ok() && !told && options.log)
      options.log("host load: " + written.message() + "; samples are lost until it can");
    told = told || !written.ok();
  };
  int64_t next_ns = mono_now_ns();
  for (uint64_t ticks = 1;; ++ticks) {
    sampler.tick();
    if (ticks % kTicksASecond == 0) write();
    // Where the processors are busy a tick comes late: those it missed are not made up for.
    next_ns = std::max(next_ns + kTickNs, mono_now_ns());
    if (wait(std::max<int64_t>(next_ns - mono_now_ns(), 0))) break;
  }
  sampler.tick();
  write();
}

Status HostLoad::start(HostLoadOptions options) {
  if (session_ != nullptr) return Status();
  static std::once_flag fork_handler;
  std::call_once(fork_handler, [] { pthread_atfork(nullptr, nullptr, after_fork_in_child); });
  auto session = std::make_shared<Session>();
  session->options = std::move(options);
  session->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (session->stop_fd < 0)
    return Status::error("host load: no file descriptor left; it is not recorded");
  const auto thread = start_thread("lockstep-load", [session] { session->lead(); });
  if (!thread) return Status::error("host load: no thread left; it is not recorded");
  thread_ = *thread;
  session_ = std::move(session);
  return Status();
}

void HostLoad::stop() {
  if (session_ == nullptr) return;
  const uint64_t one = 1;
  if (write(session_->stop_fd, &one, sizeof one) == ssize_t(sizeof one))
    join_within(thread_, kJoinPatienceMs);
  session_ = nullptr;
}

}  // namespace lockstep::hostload
