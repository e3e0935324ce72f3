// What network operations and kernel channels add to the row of their operation.
#include "analysis/join/operation_children.h"

#include <algorithm>

#include "analysis/join/gpu_times.h"

namespace lockstep::analysis {
namespace {

void earliest(int64_t* kept, int64_t candidate) {
  if (candidate != kNoTime && (*kept == kNoTime || candidate < *kept)) *kept = candidate;
}
void latest(int64_t* kept, int64_t candidate) { *kept = std::max(*kept, candidate); }

void one_peer(int32_t* kept, int32_t peer) {
  if (*kept != peer) *kept = *kept == -1 ? peer : kSeveralPeers;
}

template <typename Row>
void add_any_kernel(const KernelSpan& kernel, Row* row) {
  ++row->kernels;
  if (kernel.stop_ns == kNoTime) ++row->kernels_open;
  earliest(&row->kernel_seen_ns, kernel.seen_ns);
  latest(&row->last_progress_ns, std::max(kernel.seen_ns, kernel.stop_ns));
  latest(&row->finish_ns, kernel.stop_ns);
  const bool stopped = kernel.stop_ns != kNoTime;
  if (kernel.gpu_start == 0 || (stopped && !are_an_interval(kernel.gpu_start, kernel.gpu_stop))) {
    row->flags |= kSuspectGpuTime;
    return;
  }
  earliest(&row->kernel_start_ns, static_cast<int64_t>(kernel.gpu_start));
  if (stopped) latest(&row->kernel_stop_ns, static_cast<int64_t>(kernel.gpu_stop));
}

// Before the work's steps are counted: the row's are those that its average is over.
void add_seen(const ProxyWork& work, OperationRow* row) {
  if (work.seen_steps == 0) return;
  const int64_t before = work.is_send ? row->send_steps : row->steps - row->send_steps;
  int64_t* seen_ns = work.is_send ? &row->sends_seen_ns : &row->receives_seen_ns;
  const int64_t base_ns = *seen_ns == kNoTime ? work.seen_ns() : *seen_ns;
  *seen_ns = base_ns + (work.seen_ns() - base_ns) * work.seen_steps / (before + work.seen_steps);
}

int64_t spent(const Stretches& all, Stretch one) { return all[static_cast<unsigned>(one)]; }

}  // namespace

void add_work(const ProxyWork& work, OperationRow* row) {
  ++row->proxy_ops;
  if (!work.stepped && work.stop_ns == kNoTime) {
    row->flags |= kNeverSteppedProxy;
  } else if (work.stop_ns == kNoTime) {
    ++row->proxy_ops_open;
  }
  row->channels_mask |= uint64_t{1} << (work.channel & 63);
  row->gpu_wait_ns += spent(work.spent, Stretch::GpuWait);
  row->peer_wait_ns += spent(work.spent, Stretch::PeerWait);
  row->network_ns += spent(work.spent, Stretch::Network);
  row->receive_wait_ns += spent(work.spent, Stretch::ReceiveWait);
  row->flush_ns += spent(work.spent, Stretch::Flush);
  (work.is_send ? row->sent_bytes : row->received_bytes) += work.bytes;
  one_peer(work.is_send ? &row->send_peer : &row->receive_peer, work.peer);
  latest(work.is_send ? &row->sent_ns : &row->received_ns, work.stop_ns);
  add_seen(work, row);
  row->steps += work.steps;
  if (work.is_send) {
    row->send_gpu_wait_ns += spent(work.spent, Stretch::GpuWait);
    row->send_steps += work.steps;
    row->sending_ns += work.sending_ns;
    row->planned_sends += work.planned;
  }
  row->step_retries += work.retries;
  earliest(&row->proxy_start_ns, work.start_ns);
  add_work(work, static_cast<BriefOperation*>(row));
  const int64_t lag = work.start_ns - row->enqueue_ns;
  if (work.pid != 0 && row->enqueue_ns != kNoTime) latest(&row->proxy_lag_ns, lag);
}

void add_channel_end(const ProxyWork& work, const OperationRow& row, uint32_t at,
                     std::vector<ChannelEndRow>* ends) {
  if (row.kind != OpKind::Collective || work.stop_ns == kNoTime) return;
  if (work.peer < 0) return;
  ChannelEndRow& end = ends->emplace_back();
  end.done_ns = work.stop_ns;
  end.seen_ns = work.seen_ns();
  end.operation = at;
  end.peer = static_cast<uint32_t>(work.peer) & 0xffffffu;
  end.channel = work.channel & 0x7fu;
  end.is_send = work.is_send ? 1 : 0;
  end.steps = work.steps;
  const int64_t work_ns = spent(work.spent, work.is_send ? Stretch::Network : Stretch::Flush);
  end.work_ns = static_cast<uint32_t>(std::clamp<int64_t>(work_ns, 0, UINT32_MAX));
}

bool needs_channel_ends(const OperationRow& row, const StringPool& strings) {
  return row.channels > 1 || strings.text(row.algo) == "TREE";
}

void add_kernel(const KernelSpan& kernel, OperationRow* row) {
  row->channels_mask |= uint64_t{1} << (kernel.channel & 63);
  add_any_kernel(kernel, row);
}

void add_kernel(const KernelSpan& kernel, BriefRow* row) { add_any_kernel(kernel, row); }

}  // namespace lockstep::analysis
