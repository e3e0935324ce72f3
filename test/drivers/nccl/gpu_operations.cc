// What one iteration calls on a real communicator, and whether the numbers that come back are
// right: every rank sends its rank + 1 in every element.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "test/drivers/nccl/check.h"
#include "test/drivers/nccl/gpu_rank.h"

namespace lockstep::driver {
namespace {

bool is(const char* func, const char* name) { return strcmp(func, name) == 0; }

const char* function_of(const std::string& option) {
  if (option == "allgather") return "AllGather";
  if (option == "reducescatter") return "ReduceScatter";
  if (option == "reduce") return "Reduce";
  if (option == "broadcast") return "Broadcast";
  return "AllReduce";
}

}  // namespace

std::vector<std::vector<GpuRank::Call>> GpuRank::groups_of(const Comm& comm, int iteration) const {
  std::vector<std::vector<Call>> groups;
  for (size_t i = 0; i < options_.ops.size(); ++i) {
    const uint64_t bytes =
        options_.sizes[(static_cast<size_t>(iteration) + i) % options_.sizes.size()];
    std::vector<Call> group;
    for (int slot = 0; slot < options_.groups; ++slot)
      group.push_back({function_of(options_.ops[i]), bytes, 0, 0, slot});
    groups.push_back(group);
  }
  const int next = (comm.rank + 1) % comm.ranks;
  const int previous = (comm.rank + comm.ranks - 1) % comm.ranks;
  if (options_.sendrecv && comm.ranks > 1) {
    groups.push_back(
        {{"Send", options_.sizes[0], 0, next, 0}, {"Recv", options_.sizes[0], 0, previous, 1}});
  }
  if (options_.alltoall && comm.ranks > 1) {
    std::vector<Call> exchange;
    for (int peer = 0; peer < comm.ranks; ++peer) {
      exchange.push_back({"Send", options_.sizes[0], 0, peer, 2 * peer});
      exchange.push_back({"Recv", options_.sizes[0], 0, peer, 2 * peer + 1});
    }
    groups.push_back(exchange);
  }
  return groups;
}

Status GpuRank::call_group(const Comm& comm, int iteration, const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    const bool late = is_late(iteration);
    const uint64_t ordinal = ordinals_[comm.name + call.func]++;
    const auto comm_index = static_cast<uint64_t>(&comm - comms_.data() + 1);
    pending_.push_back(next_operation_);
    truth_->called({next_operation_++, comm_index, comm.rank, call.func, ordinal, call.bytes,
                    iteration, late ? options_.late_rank : kNobody, late ? options_.late_us : 0,
                    now()});
  }
  if (calls.size() == 1) return enqueue(comm, calls[0]);
  CHECK_NCCL(ncclGroupStart());
  for (const Call& call : calls) {
    const Status status = enqueue(comm, call);
    if (!status.ok()) return status;
  }
  CHECK_NCCL(ncclGroupEnd());
  return Status();
}

Status GpuRank::enqueue(const Comm& comm, const Call& call) {
  float* to = receive_ + static_cast<uint64_t>(call.slot) * (slot_bytes_ / sizeof(float));
  const uint64_t count = call.bytes / sizeof(float);
  if (is(call.func, "AllReduce")) {
    CHECK_NCCL(ncclAllReduce(send_, to, count, ncclFloat, ncclSum, comm.handle, stream_));
  } else if (is(call.func, "AllGather")) {
    CHECK_NCCL(ncclAllGather(send_, to, count, ncclFloat, comm.handle, stream_));
  } else if (is(call.func, "ReduceScatter")) {
    CHECK_NCCL(ncclReduceScatter(send_, to, count, ncclFloat, ncclSum, comm.handle, stream_));
  } else if (is(call.func, "Reduce")) {
    CHECK_NCCL(ncclReduce(send_, to, count, ncclFloat, ncclSum, call.root, comm.handle, stream_));
  } else if (is(call.func, "Broadcast")) {
    CHECK_NCCL(ncclBroadcast(send_, to, count, ncclFloat, call.root, comm.handle, stream_));
  } else if (is(call.func, "Send")) {
    CHECK_NCCL(ncclSend(send_, count, ncclFloat, call.peer, comm.handle, stream_));
  } else {
    CHECK_NCCL(ncclRecv(to, count, ncclFloat, call.peer, comm.handle, stream_));
  }
  return Status();
}

// Captured at its first use, then launched; the truth gets one line per launch.
Status GpuRank::replay(const Comm& comm, int iteration, const std::vector<Call>& calls) {
  cudaGraphExec_t& graph = graphs_[comm.name + calls[0].func + std::to_string(calls[0].bytes)];
  if (graph == nullptr) {
    cudaGraph_t captured = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const Status status = enqueue(comm, calls[0]);
    CHECK_CUDA(cudaStreamEndCapture(stream_, &captured));
    if (!status.ok()) return status;
    CHECK_CUDA(cudaGraphInstantiate(&graph, captured, 0));
    CHECK_CUDA(cudaGraphDestroy(captured));
  }
  for (int i = 0; i < options_.graph_replay; ++i) {
    pending_.push_back(next_operation_);
    const auto comm_index = static_cast<uint64_t>(&comm - comms_.data() + 1);
    truth_->called({next_operation_++, comm_index, comm.rank, calls[0].func,
                    ordinals_[comm.name + calls[0].func]++, calls[0].bytes, iteration, kNobody, 0,
                    now()});
    CHECK_CUDA(cudaGraphLaunch(graph, stream_));
  }
  return Status();
}

// World ranks of a communicator: all, or those of one parity after a split.
float GpuRank::expected(const Comm& comm, const Call& call, uint64_t element) const {
  const int step = comm.name == "world" ? 1 : 2;
  const int first = comm.name == "split1" ? 1 : 0;
  const auto value_of = [&](int rank) { return static_cast<float>(first + rank * step + 1); };
  if (is(call.func, "Recv")) return value_of(call.peer);
  if (is(call.func, "Broadcast")) return value_of(call.root);
  if (is(call.func, "AllGather"))
    return value_of(static_cast<int>(element / (call.bytes / sizeof(float))));
  float sum = 0;
  for (int rank = 0; rank < comm.ranks; ++rank) sum += value_of(rank);
  return sum;
}

Status GpuRank::check_result(const Comm& comm, const Call& call) {
  if (is(call.func, "Send") || (is(call.func, "Reduce") && comm.rank != call.root)) return Status();
  const uint64_t parts = is(call.func, "AllGather") ? static_cast<uint64_t>(comm.ranks) : 1;
  std::vector<float> got(call.bytes / sizeof(float) * parts);
  const float* from = receive_ + static_cast<uint64_t>(call.slot) * (slot_bytes_ / sizeof(float));
  CHECK_CUDA(cudaMemcpy(got.data(), from, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (uint64_t i = 0; i < got.size(); ++i) {
    const float want = expected(comm, call, i);
    if (std::fabs(got[i] - want) < 0.01f) continue;
    return Status::error(std::string(call.func) + " gave " + std::to_string(got[i]) +
                         " instead of " + std::to_string(want) + " in element " +
                         std::to_string(i));
  }
  return Status();
}

}  // namespace lockstep::driver
