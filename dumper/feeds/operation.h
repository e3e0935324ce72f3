// One collective or send/receive as the live view sees it: what NCCL said when it was enqueued, and
// the kernel channels and proxy operations that belong to it. Made by InFlight on the dump thread;
// the sinks (Inspector's JSON, Prometheus) read it once, when it is done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dumper/segment/chunk_clock.h"
#include "lockstep/event.h"

namespace lockstep::dumper {

// One channel of its kernel. CPU ticks are those of the callbacks: poll times, not kernel times.
struct KernelSpan {
  EventId id = 0;
  uint8_t channel = 0;
  bool open = true;
  uint64_t start_gpu_ns = 0, stop_gpu_ns = 0;
  uint64_t start_ticks = 0, record_ticks = 0, stop_ticks = 0;
};

struct Operation {
  EventId id = 0;
  bool started = false;      // its START was seen; a child may come first
  bool wants_kernel = true;  // these kinds were recorded when it started
  bool wants_proxy = true;
  bool complete = false;  // everything it waits for has ended
  uint64_t start_ticks = 0;
  uint64_t stop_ticks = 0;  // enqueued, not finished; 0 = not yet
  uint64_t last_ticks = 0;  // of the latest record about it
  uint64_t sequence = 0;    // NCCL's seqNumber; for P2p counted here, from 1, per communicator
  uint64_t count = 0;
  uint16_t func = 0, datatype = 0, algo = 0, proto = 0;  // string numbers
  int32_t rank = 0, peer = -1;
  uint8_t channels = 0;  // as NCCL said; 0 = not known
  uint32_t open_kernels = 0;
  uint32_t proxy_ops = 0;
  std::vector<KernelSpan> kernels;
  std::vector<EventId> open_proxy_ops;

  bool is_p2p() const { return kind_of(id) == Kind::P2p; }
};

enum class TimingSource : uint8_t { KernelGpu, KernelCpu, CollectiveCpu };
constexpr const char* kTimingSourceNames[] = {"kernel_gpu", "kernel_cpu", "collective_cpu"};

struct Timing {
  TimingSource source = TimingSource::CollectiveCpu;
  uint64_t exec_ns = 0;
};
// The longest channel by the GPU's clock; without usable stamps, by the host's; without channels,
// how long the enqueueing took: the source says which.
Timing timing_of(const Operation& operation, const ChunkClock& clock);

struct Bandwidth {
  double algo_gbs = 0, bus_gbs = 0;
};
// As NCCL's own tests define them, from whole microseconds as the Inspector does; 0 for 0 us and
// for functions without a definition.
Bandwidth bandwidth_of(std::string_view func, uint64_t message_bytes, uint32_t ranks,
                       uint64_t exec_us);

}  // namespace lockstep::dumper
