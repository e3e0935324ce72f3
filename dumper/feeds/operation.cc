#include "dumper/feeds/operation.h"

#include <algorithm>

#include "lockstep/message_size.h"

namespace lockstep::dumper {
namespace {

// Work numbers of host and GPU can drift apart; stamps of another work show as 0 or as a stop
// before the start.
bool has_gpu_time(const KernelSpan& span) {
  return span.start_gpu_ns != 0 && span.stop_gpu_ns != 0 && span.stop_gpu_ns != kNoArgument &&
         span.stop_gpu_ns >= span.start_gpu_ns;
}

uint64_t host_ns(const ChunkClock& clock, uint64_t from_ticks, uint64_t to_ticks) {
  return to_ticks > from_ticks ? clock.raw_ns(to_ticks) - clock.raw_ns(from_ticks) : 0;
}

}  // namespace

Timing timing_of(const Operation& operation, const ChunkClock& clock) {
  uint64_t gpu_ns = 0, cpu_ns = 0;
  bool gpu = !operation.kernels.empty(), cpu = !operation.kernels.empty();
  for (const KernelSpan& span : operation.kernels) {
    gpu = gpu && has_gpu_time(span);
    cpu = cpu && !span.open;
    gpu_ns = std::max(gpu_ns, has_gpu_time(span) ? span.stop_gpu_ns - span.start_gpu_ns : 0);
    cpu_ns = std::max(cpu_ns, host_ns(clock, span.start_ticks, span.stop_ticks));
  }
  if (gpu) return {TimingSource::KernelGpu, gpu_ns};
  if (cpu) return {TimingSource::KernelCpu, cpu_ns};
  return {TimingSource::CollectiveCpu, host_ns(clock, operation.start_ticks, operation.stop_ticks)};
}

Bandwidth bandwidth_of(std::string_view func, uint64_t message_bytes, uint32_t ranks,
                       uint64_t exec_us) {
  const bool defined = func == "AllReduce" || func == "Reduce" || func == "Broadcast" ||
                       func == "Send" || func == "Recv" || func == "SendRecv" || spans_ranks(func);
  if (!defined || exec_us == 0) return {};
  const auto traffic_bytes =
      static_cast<double>(spans_ranks(func) ? message_bytes * std::max(ranks, 1u) : message_bytes);
  const double algo_gbs = traffic_bytes / 1e9 / (static_cast<double>(exec_us) / 1e6);
  return {algo_gbs, algo_gbs * busbw_factor(func, ranks)};
}

}  // namespace lockstep::dumper
