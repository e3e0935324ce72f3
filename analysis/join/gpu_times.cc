#include "analysis/join/gpu_times.h"

#include <algorithm>
#include <type_traits>

#include "analysis/join/last_known.h"

namespace lockstep::analysis {
namespace {

using clocksync::GpuClock;
using clocksync::GpuClockEvidence;
using clocksync::HostTime;

constexpr uint64_t kTooLongNs = 600'000'000'000;
// Without a launch to compare with, a kernel far ahead of its enqueueing shows another's stamps.
// NCCL starts the collective's event after the launch, so a thread that loses its core in between
// lets a true kernel start look early, by up to some turns of the scheduler.
constexpr int64_t kUnprovedSlackNs = 5'000'000;

void give_up(BriefOperation* row) {
  row->flags |= kSuspectGpuTime;
  row->kernel_start_ns = row->kernel_stop_ns = kNoTime;
}

// What belongs to a communicator's GPU.
template <typename OfGpu>
class OfCommunicator {
 public:
  OfCommunicator(const std::map<uint32_t, std::string>& gpus, std::map<std::string, OfGpu>* all)
      : gpus_(gpus), all_(*all) {}
  OfGpu& operator()(uint32_t comm) {
    OfGpu*& known = known_[comm];
    if (known == nullptr) known = &all_.at(gpus_.at(comm));
    return *known;
  }

 private:
  const std::map<uint32_t, std::string>& gpus_;
  std::map<std::string, OfGpu>& all_;
  LastKnown<uint32_t, OfGpu*> known_;
};

int64_t apart(int64_t a_ns, int64_t b_ns) { return b_ns == kNoTime ? 0 : a_ns - b_ns; }

template <typename Row>
void map_row(const GpuClock& clock, int64_t launched_ns, Row* row) {
  // Nobody asks for the bounds of its stop, nor for those of its start but to tell whether it can be.
  constexpr bool kBrief = std::is_same_v<Row, BriefRow>;
  const auto start_stamp = uint64_t(row->kernel_start_ns);
  const auto start =
      kBrief ? clock.estimate_in(start_stamp, row->kernel_seen_ns, launched_ns, row->kernel_seen_ns)
             : clock.to_host(start_stamp, row->kernel_seen_ns);
  auto stop = start;
  const bool stopped = row->kernel_stop_ns != kNoTime;
  if (stopped) {
    const auto stamp = uint64_t(row->kernel_stop_ns);
    const int64_t near_ns = std::max(row->kernel_seen_ns, row->finish_ns);
    stop = kBrief ? clock.estimate(stamp, near_ns) : clock.to_host(stamp, near_ns);
  }
  if (!start || !stop) return give_up(row);
  const bool bounded = start->lo_ns != INT64_MIN && stop->lo_ns != INT64_MIN;
  const bool early = launched_ns != kNoTime ? start->hi_ns < launched_ns
                                            : !bounded && row->enqueue_ns != kNoTime &&
                                                  start->ns < row->enqueue_ns - kUnprovedSlackNs;
  const bool late = bounded && start->lo_ns > row->kernel_seen_ns;
  if (early || late) return give_up(row);
  row->kernel_start_ns = start->ns;
  row->kernel_stop_ns = stopped ? stop->ns : kNoTime;
  if constexpr (!kBrief) {
    if (bounded) {
      row->kernel_early_ns = std::max(start->ns - start->lo_ns, stop->ns - stop->lo_ns);
      row->kernel_late_ns = std::max(start->hi_ns - start->ns, stop->hi_ns - stop->ns);
    }
    // How long the proxy thread left the kernel's first sign unseen: it does nothing else but look.
    row->proxy_lag_ns = std::max(row->proxy_lag_ns, apart(row->kernel_seen_ns, start->ns));
  }
}

}  // namespace

bool are_an_interval(uint64_t start_stamp, uint64_t stop_stamp) {
  return start_stamp != 0 && stop_stamp >= start_stamp && stop_stamp - start_stamp <= kTooLongNs;
}

void GpuTimes::seen(uint32_t comm, uint64_t stamp, int64_t seen_ns) {
  if (last_ == nullptr || comm != last_comm_) last_ = &evidence_[comm];  // never moves
  last_comm_ = comm;
  last_->seen(stamp, seen_ns);
}

void GpuTimes::ended(EventId operation, uint8_t channel, uint64_t start_stamp,
                     uint64_t stop_stamp) {
  if (!are_an_interval(start_stamp, stop_stamp)) return;
  Channel& table = shown_[comm_of(operation) << 8 | channel];
  Shown& shown = table[start_stamp * 0x9e3779b97f4a7c15ULL >> 57];
  if (shown.start_stamp == start_stamp && shown.operation != operation)
    repeats_.push_back({shown.operation, operation, shown.stop_stamp == stop_stamp});
  shown = {start_stamp, stop_stamp, operation};
}

// Operations of one launch share their stamps; the same start in a later launch is an old slot.
template <typename Row>
void GpuTimes::flag_repeats(const IdSeries& row_at, std::vector<Row>* rows) const {
  for (const Repeat& repeat : repeats_) {
    const uint32_t first_at = row_at.find(repeat.first), again_at = row_at.find(repeat.again);
    if (first_at == IdSeries::kNone || again_at == IdSeries::kNone) continue;
    Row &first = (*rows)[first_at], &again = (*rows)[again_at];
    if (repeat.same_stop && first.group_id == again.group_id && first.replay == again.replay) {
      first.flags |= kSharedKernel;
      again.flags |= kSharedKernel;
    } else {
      again.flags |= kSuspectGpuTime;
    }
  }
}

std::map<uint32_t, std::string> GpuTimes::gpus_of(const std::vector<JoinedComm>& comms) const {
  std::map<uint32_t, std::string> named;
  for (const GpuSnapshot& snapshot : snapshots_) {
    for (const uint64_t comm : snapshot.comms) named[uint32_t(comm)] = snapshot.gpu_uuid;
  }
  bool several = false;  // ranks of one communicator are on several GPUs
  std::map<uint64_t, int32_t> rank_of;
  for (const JoinedComm& comm : comms) {
    const auto [at, is_new] = rank_of.insert({comm.comm_id, comm.rank});
    several = several || (!is_new && at->second != comm.rank);
  }
  std::map<uint32_t, std::string> gpus;
  for (const auto& [comm, evidence] : evidence_) {
    const auto known = named.find(comm);
    gpus[comm] = known != named.end() ? known->second
                 : several            ? "communicator " + std::to_string(comm)
                                      : "";
  }
  return gpus;
}

template <typename Row>
void GpuTimes::map(const std::vector<JoinedComm>& comms, const IdSeries& row_at,
                   const std::vector<int64_t>& launched_ns, clocksync::GpuPrecision precision,
                   std::vector<Row>* rows) {
  flag_repeats(row_at, rows);
  const std::map<uint32_t, std::string> gpu_of = gpus_of(comms);
  std::map<std::string, GpuClockEvidence> evidence;
  for (const auto& [comm, gpu] : gpu_of) evidence[gpu].add(std::move(evidence_[comm]));
  for (const GpuSnapshot& snapshot : snapshots_) {
    const auto gpu = evidence.find(snapshot.gpu_uuid);
    if (gpu != evidence.end()) gpu->second.snapshot(snapshot);
  }
  OfCommunicator<GpuClockEvidence> evidence_of(gpu_of, &evidence);
  for (size_t i = 0; i < rows->size(); ++i) {
    Row& row = (*rows)[i];
    if (row.kernel_start_ns == kNoTime) continue;
    const auto stamp = uint64_t(row.kernel_start_ns);
    GpuClockEvidence& of_gpu = evidence_of(comm_of(row.event_id));
    if (launched_ns[i] != kNoTime && of_gpu.is_before_launch(stamp, launched_ns[i]))
      row.flags |= kSuspectGpuTime;
    if ((row.flags & kSuspectGpuTime) != 0)
      give_up(&row);
    else if (launched_ns[i] != kNoTime)
      of_gpu.launched(launched_ns[i], stamp);
  }
  std::map<std::string, GpuClock> clocks;
  for (auto& [gpu, of_gpu] : evidence) clocks.emplace(gpu, of_gpu.solve(precision));
  OfCommunicator<GpuClock> clock_of(gpu_of, &clocks);
  for (size_t i = 0; i < rows->size(); ++i) {
    Row& row = (*rows)[i];
    if (row.kernel_start_ns != kNoTime)
      map_row(clock_of(comm_of(row.event_id)), launched_ns[i], &row);
  }
}

template void GpuTimes::map(const std::vector<JoinedComm>&, const IdSeries&,
                            const std::vector<int64_t>&, clocksync::GpuPrecision,
                            std::vector<OperationRow>*);
template void GpuTimes::map(const std::vector<JoinedComm>&, const IdSeries&,
                            const std::vector<int64_t>&, clocksync::GpuPrecision,
                            std::vector<BriefRow>*);

}  // namespace lockstep::analysis
