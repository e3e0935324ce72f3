#include "test/drivers/emulate/progress.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "test/drivers/common/mask.h"

namespace lockstep::driver {

Progress::Progress(Plugin* plugin, void* context, const EmulateOptions& options, int world_rank)
    : plugin_(plugin),
      context_(context),
      options_(options),
      world_rank_(world_rank),
      engine_(plugin, options, world_rank),
      wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

Progress::~Progress() {
  abort();
  close(wake_fd_);
}

void Progress::add_stream(Stream* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  streams_.push_back(stream);
}

void Progress::remove_stream(Stream* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  streams_.erase(std::remove(streams_.begin(), streams_.end(), stream), streams_.end());
}

void Progress::post(const std::vector<PostedOp>& ops) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    posted_.insert(posted_.end(), ops.begin(), ops.end());
  }
  wake();
}

void Progress::wake() {
  const uint64_t one = 1;
  // Full means that it is awake already.
  if (write(wake_fd_, &one, sizeof one) < 0) return;
}

void Progress::drain_and_stop() {
  stopping_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
}

void Progress::abort() {
  aborted_ = true;
  drain_and_stop();
}

bool Progress::has_posted() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !posted_.empty();
}

void Progress::run() {
  pthread_setname_np(pthread_self(), "NCCL Progress 0");
  control({abi::kProxyCtrlIdle});
  while (!aborted_) {
    const bool was_idle = active_.empty();
    if (was_idle && !has_posted()) {
      if (stopping_) return;
      sleep();
      append();
    } else if (has_posted()) {
      append();
    }
    if (active_.empty()) continue;
    if (was_idle) control({abi::kProxyCtrlActive});
    if (pass())
      still_ = 0;
    else
      wait_for_sockets();
    if (active_.empty()) control({abi::kProxyCtrlIdle});
  }
}

void Progress::control(std::initializer_list<abi::State> states) {
  if (!mask_wants(plugin_->mask(), Kind::ProxyCtrl)) return;
  void* handle = reinterpret_cast<void*>(uintptr_t{0xa5a5a5a5});  // NCCL's is uninitialised
  plugin_->start(Kind::ProxyCtrl, context_, &handle, abi::v7::EventDescr{});
  const abi::StateArgsV4 zero{};
  for (const abi::State state : states) plugin_->record(Kind::ProxyCtrl, handle, state, &zero);
  plugin_->stop(Kind::ProxyCtrl, handle);
}

// The event stays open while the thread sleeps.
void Progress::sleep() {
  const bool wanted = mask_wants(plugin_->mask(), Kind::ProxyCtrl);
  void* handle = nullptr;
  const abi::StateArgsV4 zero{};
  if (wanted) {
    plugin_->start(Kind::ProxyCtrl, context_, &handle, abi::v7::EventDescr{});
    plugin_->record(Kind::ProxyCtrl, handle, abi::kProxyCtrlSleep, &zero);
  }
  while (!has_posted() && !stopping_) {
    pollfd wake_up{wake_fd_, POLLIN, 0};
    poll(&wake_up, 1, -1);
    uint64_t count = 0;
    if (read(wake_fd_, &count, sizeof count) < 0) continue;
  }
  if (!wanted) return;
  plugin_->record(Kind::ProxyCtrl, handle, abi::kProxyCtrlWakeup, &zero);
  plugin_->stop(Kind::ProxyCtrl, handle);
}

Sub* Progress::take_sub() {
  if (free_.empty()) {
    pool_.emplace_back();
    return &pool_.back();
  }
  Sub* sub = free_.back();
  free_.pop_back();
  sub->posted = sub->transmitted = sub->received = sub->done = 0;
  sub->in_progress = sub->in_transit = sub->kernel_started = sub->failed = false;
  sub->moved_bytes = 0;
  sub->passes_at_raw_ns = 0;
  return sub;
}

void Progress::append() {
  std::vector<PostedOp> ops;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ops.swap(posted_);
  }
  const bool wanted = mask_wants(plugin_->mask(), Kind::ProxyCtrl);
  void* handle = nullptr;
  abi::StateArgsV4 args{};
  if (wanted) {
    plugin_->start(Kind::ProxyCtrl, context_, &handle, abi::v7::EventDescr{});
    plugin_->record(Kind::ProxyCtrl, handle, abi::kProxyCtrlAppend, &args);
  }
  for (const PostedOp& op : ops) {
    Sub* sub = take_sub();
    sub->op = op;
    if (op.link != nullptr) op.link->queue.push_back(sub);
    engine_.start(sub);
    active_.push_back(sub);
  }
  if (wanted) {
    args.appended_proxy_ops = static_cast<int32_t>(ops.size());
    plugin_->record(Kind::ProxyCtrl, handle, abi::kProxyCtrlAppendEnd, &args);
    plugin_->stop(Kind::ProxyCtrl, handle);
  }
}

bool Progress::pass() {
  if (options_.inject.slow_proxy == world_rank_)
    usleep(static_cast<useconds_t>(options_.inject.slow_proxy_us));
  bool moved = advance_streams();
  for (auto at = active_.begin(); at != active_.end() && !aborted_;) {
    Sub* sub = *at;
    moved = engine_.progress(sub) || moved;
    if (!ProxyEngine::finished(*sub)) {
      ++at;
      continue;
    }
    sub->op.work.reset();
    free_.push_back(sub);
    at = active_.erase(at);
    moved = true;
  }
  // Nobody may be left to look again: the last operation's end is often the kernel's end.
  return advance_streams() || moved;
}

bool Progress::advance_streams() {
  const std::lock_guard<std::mutex> lock(mutex_);
  bool changed = false;
  for (Stream* stream : streams_) changed = stream->advance() || changed;
  return changed;
}

// NCCL spins here. With more ranks than cores that would only measure the scheduler, so this waits
// for a reason to run: data, room to send, a post, or half a millisecond for what has no descriptor
// (a throttled link, another's kernel). In a hang, of a second and more, it looks fifty times a second: many ranks that
// look more often take all processors.
void Progress::wait_for_sockets() {
  std::vector<pollfd> wanted{{wake_fd_, POLLIN, 0}};
  bool throttled = false;
  for (Sub* sub : active_) {
    if (sub->op.link == nullptr || sub->op.link->queue.front() != sub || sub->failed) continue;
    if (sub->op.what == ProxyWork::Receive && sub->received < sub->posted) {
      wanted.push_back({sub->op.link->fd, POLLIN, 0});
    }
    if (sub->in_transit && options_.inject.slow_link == world_rank_)
      throttled = true;
    else if (sub->in_transit && !sub->op.stuck)
      wanted.push_back({sub->op.link->fd, POLLOUT, 0});
  }
  constexpr int kHang = 2'000;  // half milliseconds
  const timespec longest{0, throttled ? 50'000 : ++still_ > kHang ? 20'000'000 : 500'000};
  ppoll(wanted.data(), wanted.size(), &longest, nullptr);
  uint64_t count = 0;
  if ((wanted[0].revents & POLLIN) != 0 && read(wake_fd_, &count, sizeof count) < 0) return;
}

}  // namespace lockstep::driver
