#include "test/drivers/emulate/proxy_op.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lockstep/nccl_net_descr.h"
#include "test/drivers/common/mask.h"

namespace lockstep::driver {
namespace {

constexpr size_t kScratchBytes = 1 << 20;

uint64_t slice_size(const PostedOp& op, int step) {
  const uint64_t before = op.slice_bytes * static_cast<uint64_t>(step);
  return before >= op.total_bytes ? 0 : std::min(op.slice_bytes, op.total_bytes - before);
}

}  // namespace

ProxyEngine::ProxyEngine(Plugin* plugin, const EmulateOptions& options, int world_rank)
    : plugin_(plugin),
      options_(options),
      world_rank_(world_rank),
      pid_(getpid()),
      scratch_(new char[kScratchBytes]()) {}

void ProxyEngine::start(Sub* sub) {
  const PostedOp& op = sub->op;
  if (op.what == ProxyWork::WatchKernel || !mask_wants(op.mask, Kind::ProxyOp)) return;
  abi::v7::EventDescr event{};
  event.parent = op.parent;
  event.rank = op.rank;
  event.proxy_op = {pid_,     op.channel,     op.peer,
                    op.steps, op.chunk_bytes, op.what == ProxyWork::Send};
  plugin_->start(Kind::ProxyOp, op.context, &sub->op_handle, event);
}

bool ProxyEngine::progress(Sub* sub) {
  if (sub->op.what == ProxyWork::WatchKernel) return progress_kernel(sub);
  if (sub->op.link->queue.front() != sub || sub->failed) return false;
  if (!sub->in_progress) {
    sub->in_progress = true;
    const abi::StateArgsV4 zero{};
    if (mask_wants(sub->op.mask, Kind::ProxyOp) && sub->op_handle != nullptr) {
      plugin_->record(Kind::ProxyOp, sub->op_handle, abi::kProxyOpInProgress, &zero);
    }
  }
  const bool moved = sub->op.what == ProxyWork::Send ? progress_send(sub) : progress_receive(sub);
  if (finished(*sub)) finish(sub);
  return moved;
}

bool ProxyEngine::finished(const Sub& sub) {
  return sub.op.what == ProxyWork::WatchKernel ? sub.done == 1 : sub.done == sub.op.steps;
}

void ProxyEngine::finish(Sub* sub) {
  sub->op.link->queue.pop_front();
  if (mask_wants(sub->op.mask, Kind::ProxyOp) && sub->op_handle != nullptr) {
    plugin_->stop(Kind::ProxyOp, sub->op_handle);
    sub->op_handle = nullptr;
  }
}

bool ProxyEngine::progress_receive(Sub* sub) {
  bool moved = false;
  const PostedOp& op = sub->op;
  if (sub->posted < op.steps && sub->posted < sub->done + kSlots) {
    for (int i = 0; i <= options_.inject.recv_repeats; ++i) start_step(sub, sub->posted);
    record_step(*sub, sub->posted, abi::kProxyStepRecvWait, 0);
    ++sub->posted;
    moved = true;
  }
  if (sub->received < sub->posted && receive_slice(sub)) {
    const uint64_t bytes = slice_size(op, sub->received);
    record_step(*sub, sub->received, abi::kProxyStepRecvFlushWait, bytes);
    record_step(*sub, sub->received, abi::kProxyStepRecvGpuWait, bytes);
    ++sub->received;
    moved = true;
  }
  if (sub->done < sub->received && op.work->running) {
    ++op.work->consumed;
    stop_step(sub, sub->done);
    ++sub->done;
    moved = true;
  }
  return moved;
}

bool ProxyEngine::progress_send(Sub* sub) {
  bool moved = false;
  const PostedOp& op = sub->op;
  if (sub->posted < op.steps && sub->posted < sub->done + kSlots) {
    start_step(sub, sub->posted);
    record_step(*sub, sub->posted, abi::kProxyStepSendGpuWait, 0);
    ++sub->posted;
    moved = true;
  }
  if (sub->transmitted < sub->posted && sub->transmitted < op.work->filled()) {
    if (!sub->in_transit) {
      for (int i = 0; i <= options_.inject.peer_wait_repeats; ++i) {
        record_step(*sub, sub->transmitted, abi::kProxyStepSendPeerWait, 0);
      }
      record_step(*sub, sub->transmitted, abi::kProxyStepSendWait,
                  slice_size(op, sub->transmitted));
      start_net(sub, sub->transmitted, slice_size(op, sub->transmitted));
      sub->in_transit = true;
      moved = true;
    }
    if (send_slice(sub)) {
      sub->in_transit = false;
      stop_step(sub, sub->transmitted);
      ++sub->transmitted;
      ++sub->done;
      ++op.work->sent;
      moved = true;
    }
  }
  return moved;
}

// The host sees the start in one pass and the stop in a later one.
bool ProxyEngine::progress_kernel(Sub* sub) {
  const Work& work = *sub->op.work;
  if (!sub->kernel_started) {
    if (!work.running) return false;
    abi::v7::EventDescr event{};
    event.parent = sub->op.parent;
    event.kernel_ch = {sub->op.channel, work.start_stamp};
    plugin_->start(Kind::KernelCh, sub->op.context, &sub->kernel_handle, event);
    sub->kernel_started = true;
    return true;
  }
  if (!work.done) return false;
  abi::StateArgsV4 args{};
  args.p_timer = work.stop_stamp;
  if (sub->kernel_handle != nullptr) {
    plugin_->record(Kind::KernelCh, sub->kernel_handle, abi::kKernelChStop, &args);
    plugin_->stop(Kind::KernelCh, sub->kernel_handle);
  }
  sub->done = 1;
  return true;
}

// True when the slice is complete. A header that is not the expected one means that the ranks do
// not agree on what they do: like NCCL, we then wait for data that never comes.
bool ProxyEngine::receive_slice(Sub* sub) {
  const uint64_t expected = slice_size(sub->op, sub->received);
  for (;;) {
    SliceHeader header{};
    const bool in_header = sub->moved_bytes < sizeof header;
    if (!in_header && sub->moved_bytes == sizeof header + expected) break;
    const size_t wanted =
        in_header ? sizeof header
                  : std::min(kScratchBytes, sizeof header + expected - sub->moved_bytes);
    const ssize_t got =
        recv(sub->op.link->fd, in_header ? static_cast<void*>(&header) : scratch_.get(), wanted,
             MSG_DONTWAIT | (in_header ? MSG_PEEK : 0));
    if (got <= 0) {
      sub->failed = got == 0 || (errno != EAGAIN && errno != EINTR);
      return false;
    }
    if (in_header) {
      if (got < static_cast<ssize_t>(sizeof header)) return false;
      sub->failed = header.tag != sub->op.tag || header.bytes != expected ||
                    header.step != static_cast<uint32_t>(sub->received);
      if (sub->failed) return false;
      recv(sub->op.link->fd, &header, sizeof header, MSG_DONTWAIT);
      start_net(sub, sub->received, expected);
      sub->moved_bytes = sizeof header;
    } else {
      sub->moved_bytes += static_cast<uint64_t>(got);
    }
  }
  sub->moved_bytes = 0;
  return true;
}

bool ProxyEngine::send_slice(Sub* sub) {
  const uint64_t bytes = slice_size(sub->op, sub->transmitted);
  const SliceHeader header{sub->op.tag, static_cast<uint32_t>(sub->transmitted),
                           static_cast<uint32_t>(bytes)};
  if (sub->op.stuck || !passed_slow_link(sub, bytes)) return false;
  while (sub->moved_bytes < sizeof header + bytes) {
    const bool in_header = sub->moved_bytes < sizeof header;
    const char* from =
        in_header ? reinterpret_cast<const char*>(&header) + sub->moved_bytes : scratch_.get();
    const size_t rest = in_header
                            ? sizeof header - sub->moved_bytes
                            : std::min(kScratchBytes, sizeof header + bytes - sub->moved_bytes);
    const ssize_t put = send(sub->op.link->fd, from, rest,
                             MSG_DONTWAIT | MSG_NOSIGNAL | (in_header && bytes > 0 ? MSG_MORE : 0));
    if (put < 0) {
      sub->failed = errno != EAGAIN && errno != EINTR;
      return false;
    }
    sub->moved_bytes += static_cast<uint64_t>(put);
  }
  sub->moved_bytes = 0;
  sub->passes_at_raw_ns = 0;
  return true;
}

// A slow link is busy with every slice for as long as its bytes take at that rate; while idle it
// saves nothing up.
bool ProxyEngine::passed_slow_link(Sub* sub, uint64_t bytes) {
  if (options_.inject.slow_link != world_rank_) return true;
  const int64_t raw_ns = clock_ns(CLOCK_MONOTONIC_RAW);
  if (sub->passes_at_raw_ns == 0) {
    const double takes_ns = static_cast<double>(bytes) * 8000 / options_.inject.slow_link_mbps;
    link_free_raw_ns_ = std::max(raw_ns, link_free_raw_ns_) + static_cast<int64_t>(takes_ns);
    sub->passes_at_raw_ns = link_free_raw_ns_;
  }
  return raw_ns >= sub->passes_at_raw_ns;
}

void ProxyEngine::start_step(Sub* sub, int step) {
  if (!mask_wants(sub->op.mask, Kind::ProxyStep)) return;
  abi::v7::EventDescr event{};
  event.parent = sub->op_handle;
  event.rank = sub->op.rank;
  event.proxy_step.step = step;
  plugin_->start(Kind::ProxyStep, sub->op.context, &sub->step_handle[step % 8], event);
}

// bytes is stale outside the two states that define it, as in NCCL.
void ProxyEngine::record_step(const Sub& sub, int step, abi::State state, uint64_t bytes) {
  void* handle = sub.step_handle[step % 8];
  if (!mask_wants(sub.op.mask, Kind::ProxyStep) || sub.op_handle == nullptr || handle == nullptr)
    return;
  abi::StateArgsV4 args{};
  args.trans_size = bytes;
  plugin_->record(Kind::ProxyStep, handle, state, &args);
}

void ProxyEngine::stop_step(Sub* sub, int step) {
  const bool net = options_.work.net_events && (sub->op.mask & abi::kNetPlugin) != 0;
  if (net) plugin_->stop(Kind::NetPlugin, sub->net_handle[step % 8]);
  void*& handle = sub->step_handle[step % 8];
  if (!mask_wants(sub->op.mask, Kind::ProxyStep) || handle == nullptr) return;
  plugin_->stop(Kind::ProxyStep, handle);
  handle = nullptr;
}

void ProxyEngine::start_net(Sub* sub, int step, uint64_t bytes) {
  if (!options_.work.net_events || (sub->op.mask & abi::kNetPlugin) == 0) return;
  abi::net::SocketDescrV1 socket{};
  socket.type = abi::net::kSocket;
  socket.sock = {sub->op.link->fd, sub->op.what == ProxyWork::Send, bytes};
  abi::v7::EventDescr event{};
  event.parent = sub->step_handle[step % 8];
  event.rank = sub->op.rank;
  event.net_plugin = {abi::net::kSocketV1, &socket};
  plugin_->start(Kind::NetPlugin, sub->op.context, &sub->net_handle[step % 8], event);
}

}  // namespace lockstep::driver
