#include "test/drivers/replay/player.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#include "lockstep/nccl_net_descr.h"
#include "test/drivers/common/mask.h"
#include "test/drivers/replay/virtual_clock.h"

namespace lockstep::driver {
namespace {

int64_t mono_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

template <typename Condition>
void wait_until(Condition condition) {
  for (int spins = 0; !condition(); ++spins) {
    if (spins < 100)
      sched_yield();
    else
      usleep(20);
  }
}

int64_t schedule_ns(const CallLog& log, const LogLine& line, const PlayOptions& options) {
  return log.zero_mono_ns + line.time_ns - options.schedule_zero_ns;
}

}  // namespace

std::vector<uint32_t> lines_until(const CallLog& log, const PlayOptions& options) {
  std::vector<uint32_t> lines;
  for (uint32_t i = 0; i < log.lines.size(); ++i) {
    if (options.until_ns < 0 || schedule_ns(log, log.lines[i], options) <= options.until_ns)
      lines.push_back(i);
  }
  return lines;
}

Player::Player(const CallLog& log, Plugin* plugin, const PlayOptions& options)
    : log_(log),
      plugin_(plugin),
      options_(options),
      events_(new Event[log.max_event + 1]),
      contexts_(log.max_context + 1),
      open_(log.max_context + 1),
      per_thread_(log.threads.size()) {
  plan();
}

void Player::plan() {
  std::vector<uint32_t> calls_on(log_.max_event + 1);
  uint32_t fences = 0;
  uint32_t before = 0;
  for (const uint32_t i : lines_until(log_, options_)) {
    const LogLine& line = log_.lines[i];
    const bool is_fence = line.call <= LoggedCall::Finalize;
    per_thread_[line.thread].push_back({i, is_fence ? 0 : calls_on[line.event], fences, before});
    if (is_fence)
      ++fences;
    else
      ++calls_on[line.event];
    ++before;
  }
}

void Player::play() {
  std::vector<std::thread> threads;
  uint32_t main_thread = static_cast<uint32_t>(log_.threads.size());
  for (uint32_t i = 0; i < log_.threads.size(); ++i) {
    if (log_.threads[i].tid == log_.pid)
      main_thread = i;
    else
      threads.emplace_back([this, i] { run_thread(i); });
  }
  if (main_thread < log_.threads.size()) run_thread(main_thread);
  for (std::thread& thread : threads) thread.join();
}

void Player::run_thread(uint32_t thread) {
  if (log_.threads[thread].tid != log_.pid) {
    pthread_setname_np(pthread_self(), log_.threads[thread].name.substr(0, 15).c_str());
  }
  for (const Planned& planned : per_thread_[thread]) {
    const LogLine& line = log_.lines[planned.line];
    if (options_.pace == Pace::Recorded) wait_for_time(line);
    wait_for_turn(planned, line);
    if (options_.pace == Pace::Virtual) set_time(line);
    call(line);
    if (line.call <= LoggedCall::Finalize)
      fences_done_.fetch_add(1, std::memory_order_release);
    else
      events_[line.event].calls_done.fetch_add(1, std::memory_order_release);
    calls_done_.fetch_add(1, std::memory_order_release);
  }
  if (options_.pace == Pace::Virtual) virtual_clock::follow();
}

void Player::wait_for_turn(const Planned& planned, const LogLine& line) const {
  wait_until([&] { return fences_done_.load(std::memory_order_acquire) >= planned.fences; });
  if (line.call <= LoggedCall::Finalize) {
    wait_until([&] { return calls_done_.load(std::memory_order_acquire) >= planned.before; });
    return;
  }
  const Event& event = events_[line.event];
  wait_until([&] { return event.calls_done.load(std::memory_order_acquire) >= planned.turn; });
  for (const uint32_t parent : {line.parent, line.parent_group}) {
    if (parent == 0 || parent >= line.event) continue;
    wait_until([&] { return events_[parent].calls_done.load(std::memory_order_acquire) > 0; });
  }
}

// A sleep is tens of microseconds late; calls closer than that are made at once rather than later
// still.
void Player::wait_for_time(const LogLine& line) const {
  constexpr int64_t kSleepWorthwhileNs = 60'000;
  const int64_t due_ns = options_.start_mono_ns + schedule_ns(log_, line, options_);
  if (due_ns - mono_ns() < kSleepWorthwhileNs) return;
  const timespec due{due_ns / 1'000'000'000, due_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) != 0) {
  }
}

void Player::set_time(const LogLine& line) const {
  virtual_clock::set_raw_ns(options_.start_mono_ns + schedule_ns(log_, line, options_));
}

bool Player::wanted(const LogLine& line) const {
  return !options_.apply_mask || mask_wants(plugin_->mask(), line.kind);
}

// Where a start gave no handle, NCCL makes no further calls; network plugins' events alone are not
// looked at.
bool Player::reaches(const LogLine& line, const void* handle) const {
  return !options_.apply_mask || handle != nullptr || line.kind == Kind::NetPlugin;
}

void Player::call(const LogLine& line) {
  void* handle =
      line.event == 0 ? nullptr : events_[line.event].handle.load(std::memory_order_relaxed);
  abi::StateArgsV4 args = line.args;
  switch (line.call) {
    case LoggedCall::Init:
      contexts_[line.context] = plugin_->init(log_.comms[line.detail]);
      open_[line.context] = true;
      break;
    case LoggedCall::Finalize:
      plugin_->finalize(contexts_[line.context]);
      open_[line.context] = false;
      break;
    case LoggedCall::Start:
      if (wanted(line)) start(line);
      break;
    case LoggedCall::Record:
      if (wanted(line) && reaches(line, handle))
        plugin_->record(line.kind, handle, line.state, line.has_args ? &args : nullptr);
      break;
    case LoggedCall::Stop:
      if (wanted(line) && reaches(line, handle)) plugin_->stop(line.kind, handle);
      break;
  }
}

void Player::start(const LogLine& line) {
  abi::v7::EventDescr event = log_.events[line.detail];
  event.parent =
      line.parent == 0 ? nullptr : events_[line.parent].handle.load(std::memory_order_relaxed);
  void* group = line.parent_group == 0
                    ? nullptr
                    : events_[line.parent_group].handle.load(std::memory_order_relaxed);
  // Through table 4 NCCL gives the Group as parent; a log recorded that way has no other parent to
  // give.
  if (log_.table == 4) group = event.parent;
  if (line.kind == Kind::Coll) event.coll.parent_group = group;
  if (line.kind == Kind::P2p) event.p2p.parent_group = group;
  if (line.kind == Kind::ProxyOp && event.proxy_op.pid == 0) event.proxy_op.pid = getpid();
  // Of the calls inside a group call that is captured into a graph NCCL says the same; logs say it of the group call.
  const bool captured = events_[line.parent].graph_captured;
  if (line.kind == Kind::GroupApi)
    events_[line.event].graph_captured = event.group_api.graph_captured;
  if (line.kind == Kind::CollApi) event.coll_api.graph_captured = captured;
  if (line.kind == Kind::P2pApi) event.p2p_api.graph_captured = captured;
  const bool is_comm_rank = line.kind == Kind::Coll || line.kind == Kind::P2p ||
                            line.kind == Kind::ProxyOp || line.kind == Kind::ProxyStep ||
                            line.kind == Kind::NetPlugin;
  if (is_comm_rank && line.context != 0) event.rank = log_.comms[line.context - 1].rank;
  abi::net::SocketDescrV1 socket{abi::net::kSocket, {3, 1, 0}};
  if (line.kind == Kind::NetPlugin) event.net_plugin.data = &socket;
  void* handle = events_[line.event].handle.load(std::memory_order_relaxed);
  plugin_->start(line.kind, contexts_[line.context], &handle, event);
  events_[line.event].handle.store(handle, std::memory_order_relaxed);
}

void Player::finalize_open_contexts() {
  for (size_t i = 1; i < contexts_.size(); ++i) {
    if (open_[i]) plugin_->finalize(contexts_[i]);
    open_[i] = false;
  }
}

}  // namespace lockstep::driver
