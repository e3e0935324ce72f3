#include "clocksync/probe/clock_sync.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "base/host_lock.h"
#include "base/launcher.h"
#include "base/thread.h"
#include "clocksync/probe/prepare_probe.h"
#include "clocksync/probe/prober.h"

namespace lockstep::clocksync {
namespace {

constexpr int kJoinPatienceMs = 50;
constexpr int kLeaderRetryMs = 1000;
constexpr size_t kMostFds = 1 + ProbePaths::kOfInterface * kMostInterfaces;

// Everything one start owns; the threads hold it by shared_ptr and may outlive the stop by a
// moment.
struct Session {
  ClockSyncOptions options;
  int stop_fd = -1;
  std::shared_ptr<HostDirectory> directory = std::make_shared<HostDirectory>();
  std::mutex prober_mutex;
  Prober* prober = nullptr;  // while it runs
  // What a forked child must let go of: its copies would keep the host's lead and ports.
  std::atomic<int> fds[kMostFds];

  Session() {
    for (std::atomic<int>& fd : fds) fd = -1;
  }
  ~Session() {
    if (stop_fd >= 0) close(stop_fd);
  }
  void log(const std::string& sentence) const {
    if (options.log) options.log(sentence);
  }
};

// One per process: NCCL calls init once per communicator.
std::mutex running_mutex;
std::shared_ptr<Session> running;
pthread_t running_thread;
int users = 0;

void before_fork() { running_mutex.lock(); }
void after_fork_in_parent() { running_mutex.unlock(); }
void after_fork_in_child() {
  if (running != nullptr) {
    for (std::atomic<int>& fd : running->fds) {
      const int value = fd.exchange(-1);
      if (value >= 0) close(value);
    }
    // The child has none of the threads; destroying what they used could wait for them forever. It
    // is put aside in place: an allocator that is not ready for fork could wait forever, too.
    alignas(std::shared_ptr<Session>) static char aside[sizeof(std::shared_ptr<Session>)];
    new (aside) std::shared_ptr<Session>(std::move(running));
  }
  running = nullptr;
  users = 0;
  running_mutex.unlock();
}

bool stop_requested(int stop_fd, int wait_ms) {
  pollfd item = {stop_fd, POLLIN, 0};
  return poll(&item, 1, wait_ms) > 0;
}

void run_prober(const std::shared_ptr<Session>& session, const ClockSource& clock,
                PreparedProbe prepared) {
  Result<ClockRecordWriter> writer =
      ClockRecordWriter::open(session->options.run_directory, prepared.setup.self.name);
  if (!writer.ok()) return session->log("clock: " + writer.message());
  const auto directory = session->directory;
  auto plan = std::make_shared<RendezvousPlan>(std::move(prepared.plan));
  const auto rendezvous =
      start_thread("lockstep-hosts", [plan, self = prepared.setup.self, directory] {
        run_rendezvous(std::move(*plan), self, directory);
      });
  if (!rendezvous)
    return session->log("clock: no thread left for the rendezvous; clocks are not probed");
  for (size_t i = 0; i < prepared.paths.size(); ++i) session->fds[1 + i] = prepared.paths[i].fd();
  Prober prober(prepared.setup, clock, directory, std::move(writer.value()),
                std::move(prepared.paths));
  {
    const std::lock_guard<std::mutex> lock(session->prober_mutex);
    session->prober = &prober;
  }
  bool no_memory = false;
  try {
    prober.run(session->stop_fd);
  } catch (const std::bad_alloc&) {
    no_memory = true;
  }
  {
    const std::lock_guard<std::mutex> lock(session->prober_mutex);
    session->prober = nullptr;
  }
  directory->stop.store(true, std::memory_order_relaxed);
  pthread_detach(*rendezvous);
  for (size_t i = 1; i < kMostFds; ++i) session->fds[i] = -1;
  if (no_memory) session->log("clock: no memory left; clocks are not probed any more");
}

// One prober per host and job: ranks that share all of this share a clock.
std::string lock_name(const ProbeIdentity& identity) {
  const uint64_t hash = name_hash(identity.job + "\n" + identity.host + "\n" +
                                  identity.facts.boot_id + "\n" + identity.facts.clock_namespace);
  return "lockstep-clock/" + std::to_string(geteuid()) + "/" + std::to_string(hash);
}

void lead_and_probe(const std::shared_ptr<Session>& session) {
  const Environment environment = process_variables();
  const ProbeIdentity identity = identify(session->options, environment);
  HostLock lock(lock_name(identity));
  bool waited = false;
  while (!lock.try_take()) {
    waited = true;
    if (stop_requested(session->stop_fd, kLeaderRetryMs)) return;
  }
  session->fds[0] = lock.fd();
  Result<PreparedProbe> prepared = prepare_probe(session->options, identity, environment);
  if (prepared.ok()) {
    prepared.value().setup.takeover = waited;
    const HostClock host_clock;
    const Result<VirtualClockModel> model =
        parse_virtual_clock(session->options.virtual_clock, host_clock);
    if (session->options.virtual_clock.empty()) {
      run_prober(session, host_clock, std::move(prepared.value()));
    } else if (model.ok()) {
      run_prober(session, VirtualClock(host_clock, model.value()), std::move(prepared.value()));
    }
  } else {
    session->log("clock: probing is off: " + prepared.message());
  }
  session->fds[0] = -1;
}

Status check(const ClockSyncOptions& options) {
  const auto within = [](const char* name, uint32_t value, uint32_t least, uint32_t most) {
    if (value >= least && value <= most) return Status();
    return Status::error(std::string(name) + "=" + std::to_string(value) + ": expected " +
                         std::to_string(least) + " to " + std::to_string(most));
  };
  for (const Status& status :
       {within("LOCKSTEP_CLOCK_CADENCE_US", options.cadence_us, 500, 60'000'000),
        within("LOCKSTEP_CLOCK_TRAIN", options.train, 1, kMaxTrainLength),
        within("LOCKSTEP_CLOCK_SPACING_US", options.spacing_us, 0, 10'000),
        within("LOCKSTEP_CLOCK_WINDOW_S", options.window_s, 1, 600),
        within("LOCKSTEP_CLOCK_SNAPSHOT_MS", options.snapshot_ms, 10, 10'000),
        within("LOCKSTEP_CLOCK_FLUSH_MS", options.flush_ms, 100, 60'000),
        within("LOCKSTEP_CLOCK_DEGREE", options.degree, 2, 64)}) {
    if (!status.ok()) return status;
  }
  if (options.virtual_clock.empty()) return Status();
  const Result<VirtualClockModel> model = parse_virtual_clock(options.virtual_clock, HostClock());
  return model.ok() ? Status() : model.status();
}

}  // namespace

Status start_clock_sync(const ClockSyncOptions& options) {
  Status possible = check(options);
  if (!possible.ok()) return possible;
  static std::once_flag fork_handlers;
  std::call_once(fork_handlers,
                 [] { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); });
  if (!crypto_ready())
    return Status::error("clock: the system gives no random numbers; probing is off");
  const std::lock_guard<std::mutex> lock(running_mutex);
  if (running != nullptr) {
    ++users;
    return Status();
  }
  auto session = std::make_shared<Session>();
  session->options = options;
  session->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (session->stop_fd < 0) return Status::error("clock: no file descriptor left; probing is off");
  const auto thread = start_thread("lockstep-clock", [session] { lead_and_probe(session); });
  if (!thread) return Status::error("clock: no thread left; probing is off");
  running = session;
  running_thread = *thread;
  users = 1;
  return Status();
}

void stop_clock_sync() {
  const std::lock_guard<std::mutex> lock(running_mutex);
  if (running == nullptr || --users > 0) return;
  const uint64_t one = 1;
  if (write(running->stop_fd, &one, sizeof one) == ssize_t(sizeof one)) {
    join_within(running_thread, kJoinPatienceMs);
  }
  running = nullptr;
}

ClockSyncHealth clock_sync_health() {
  const std::lock_guard<std::mutex> lock(running_mutex);
  if (running == nullptr) return {};
  const std::lock_guard<std::mutex> prober_lock(running->prober_mutex);
  return running->prober == nullptr ? ClockSyncHealth() : running->prober->health();
}

}  // namespace lockstep::clocksync
