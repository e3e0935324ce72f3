#include "test/drivers/emulate/operation.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "test/drivers/emulate/gpu.h"

namespace lockstep::driver {
namespace {

constexpr uint64_t kRingChunkBytes = 2 << 20;  // SIMPLE: 4 of 8 steps of a 4 MiB buffer
constexpr int kSlicesPerChunk = 2;
constexpr uint64_t kP2pChunkBytes = 128 << 10;
constexpr uint64_t kRegisteredChunkBytes = 1 << 30;
constexpr uint64_t kChainChunkBytes = 512 << 10;

uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

ChannelPlan even_steps(uint64_t total_bytes, int steps) {
  const auto slice = std::max<uint64_t>(1, divide_up(total_bytes, static_cast<uint64_t>(steps)));
  return {steps, slice, total_bytes};
}

OperationPlan plan_ring(const Operation& operation, uint64_t ranks, int channels) {
  const bool both_halves = strcmp(operation.func, "AllReduce") == 0;
  const uint64_t whole = both_halves ? operation.size_bytes : operation.size_bytes * ranks;
  const uint64_t share = divide_up(whole, static_cast<uint64_t>(channels));
  const uint64_t loops = divide_up(share, ranks * kRingChunkBytes);
  const uint64_t turns = (both_halves ? 2 : 1) * (ranks - 1);
  const int steps = static_cast<int>(turns * loops * kSlicesPerChunk);
  OperationPlan plan;
  plan.channels = channels;
  plan.send = plan.receive = even_steps(share / ranks * turns, steps);
  plan.lead = kSlicesPerChunk;
  plan.chunk_bytes = 4 << 20;
  return plan;
}

// Reduce: a chain that ends at the root.
OperationPlan plan_chain(const Operation& operation, int ranks, int rank, int channels) {
  const uint64_t share = divide_up(operation.size_bytes, static_cast<uint64_t>(channels));
  const ChannelPlan edge = even_steps(
      share, static_cast<int>(std::max<uint64_t>(1, divide_up(share, kChainChunkBytes))));
  OperationPlan plan;
  plan.channels = channels;
  if (rank != (operation.root + 1) % ranks) plan.receive = edge;
  if (rank != operation.root) plan.send = edge;
  plan.lead = plan.receive.steps == 0 ? kIndependent : 0;
  plan.chunk_bytes = kChainChunkBytes;
  return plan;
}

OperationPlan plan_p2p(const Operation& operation, int channels, bool user_buffers) {
  const uint64_t chunk_bytes = user_buffers ? kRegisteredChunkBytes : kP2pChunkBytes;
  OperationPlan plan;
  plan.channels = operation.size_bytes > 2 * kP2pChunkBytes ? channels : 1;
  const uint64_t part = divide_up(operation.size_bytes, static_cast<uint64_t>(plan.channels));
  const ChannelPlan edge{static_cast<int>(std::max<uint64_t>(1, divide_up(part, chunk_bytes))),
                         std::min(chunk_bytes, std::max<uint64_t>(1, part)), part};
  (strcmp(operation.func, "Send") == 0 ? plan.send : plan.receive) = edge;
  plan.lead = kIndependent;
  plan.chunk_bytes = static_cast<int32_t>(chunk_bytes);
  return plan;
}

}  // namespace

bool is_p2p(const Operation& operation) {
  return strcmp(operation.func, "Send") == 0 || strcmp(operation.func, "Recv") == 0;
}

OperationPlan plan_operation(const Operation& operation, int ranks, int rank, int channels,
                             bool user_buffers) {
  if (is_p2p(operation))
    return operation.peer == rank ? OperationPlan() : plan_p2p(operation, channels, user_buffers);
  if (ranks == 1 || strcmp(operation.func, "Broadcast") == 0) return OperationPlan();
  if (strcmp(operation.func, "Reduce") == 0) return plan_chain(operation, ranks, rank, channels);
  return plan_ring(operation, static_cast<uint64_t>(ranks), channels);
}

Result<const char*> function_of_option(const std::string& option) {
  static const std::pair<const char*, const char*> kFunctions[] = {
      {"allreduce", "AllReduce"},
      {"allgather", "AllGather"},
      {"reducescatter", "ReduceScatter"},
      {"reduce", "Reduce"},
      {"broadcast", "Broadcast"}};
  for (const auto& [name, function] : kFunctions) {
    if (option == name) return function;
  }
  return Status::error("no operation '" + option +
                       "': use allreduce, allgather, reducescatter, reduce or broadcast");
}

}  // namespace lockstep::driver
