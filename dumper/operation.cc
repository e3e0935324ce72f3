#include "dumper/operation.h"

#include <algorithm>

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

uint64_t datatype_bytes(std::string_view name) {
  const auto ends_with = [name](std::string_view end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
  };
  if (ends_with("16")) return 2;
  if (ends_with("32")) return 4;
  if (ends_with("64")) return 8;
  return 1;  // int8, uint8, float8e4m3, float8e5m2, Unknown
}

Bandwidth bandwidth_of(std::string_view func, uint64_t message_bytes, uint32_t ranks,
                       uint64_t exec_us) {
  const double n = std::max(ranks, 1u);
  auto traffic_bytes = static_cast<double>(message_bytes);
  double factor = 1;
  if (func == "AllReduce") {
    factor = 2 * (n - 1) / n;
  } else if (func == "ReduceScatter" || func == "AllGather" || func == "AllGatherV" ||
             func == "AlltoAll" || func == "Gather" || func == "Scatter") {
    traffic_bytes *= n;
    factor = (n - 1) / n;
  } else if (func != "Reduce" && func != "Broadcast" && func != "Send" && func != "Recv" &&
             func != "SendRecv") {
    return {};
  }
  if (exec_us == 0) return {};
  const double algo_gbs = traffic_bytes / 1e9 / (static_cast<double>(exec_us) / 1e6);
  return {algo_gbs, algo_gbs * factor};
}

}  // namespace lockstep::dumper
