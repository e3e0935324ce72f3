#include "test/drivers/nccl/gpu_rank.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "test/drivers/common/wire.h"
#include "test/drivers/nccl/check.h"

namespace lockstep::driver {
namespace {

constexpr uint64_t kUniqueIdKey = 1;
constexpr int kExchangeTimeoutMs = 60'000;

}  // namespace

Status GpuRank::open_gpu() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted != cudaSuccess || devices == 0) {
    return Status::error(std::string("no CUDA device here (") + cudaGetErrorString(counted) +
                         "): use lockstep-emulate, which needs none");
  }
  const int rank = bootstrap_->rank();
  const char* local = getenv("LOCAL_RANK");
  const int device = (local != nullptr ? atoi(local) : rank) % devices;
  if (bootstrap_->world() > devices && !options_.one_node && bootstrap_->hosts() == 1) {
    // Ranks that share a GPU talk over the network, as if each were a node of its own.
    setenv("NCCL_HOSTID", ("lockstep-rank-" + std::to_string(rank)).c_str(), 0);
    setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 0);
  }
  CHECK_CUDA(cudaSetDevice(device));
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  const uint64_t largest = *std::max_element(options_.sizes.begin(), options_.sizes.end());
  slot_bytes_ = std::max<uint64_t>(largest, 4) * static_cast<uint64_t>(bootstrap_->world());
  const auto slots = static_cast<uint64_t>(std::max(options_.groups, 2 * bootstrap_->world()));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&send_), slot_bytes_));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&receive_), slot_bytes_ * slots));
  const std::vector<float> mine(slot_bytes_ / sizeof(float), static_cast<float>(rank + 1));
  CHECK_CUDA(cudaMemcpy(send_, mine.data(), slot_bytes_, cudaMemcpyHostToDevice));
  return Status();
}

Status GpuRank::create_communicators() {
  ncclUniqueId id{};
  if (bootstrap_->rank() == 0) {
    CHECK_NCCL(ncclGetUniqueId(&id));
    for (int rank = 1; rank < bootstrap_->world(); ++rank) {
      const int to = bootstrap_->connect_to(rank, kUniqueIdKey);
      if (to < 0 || !send_all(to, &id, sizeof id))
        return Status::error("rank " + std::to_string(rank) + " is gone");
      close(to);
    }
  } else {
    const int from = bootstrap_->accept_from(0, kUniqueIdKey);
    if (from < 0 || !receive_all(from, &id, sizeof id, kExchangeTimeoutMs))
      return Status::error("rank 0 is gone");
    close(from);
  }
  ncclComm_t world = nullptr;
  CHECK_NCCL(ncclCommInitRank(&world, bootstrap_->world(), id, bootstrap_->rank()));
  Status status = add_communicator(world, "world");
  if (!status.ok() || !options_.split) return status;
  ncclComm_t half = nullptr;
  CHECK_NCCL(ncclCommSplit(world, bootstrap_->rank() % 2, bootstrap_->rank(), &half, nullptr));
  return add_communicator(half, bootstrap_->rank() % 2 == 0 ? "split0" : "split1");
}

Status GpuRank::add_communicator(ncclComm_t handle, const char* name) {
  Comm comm;
  comm.handle = handle;
  comm.name = name;
  CHECK_NCCL(ncclCommUserRank(handle, &comm.rank));
  CHECK_NCCL(ncclCommCount(handle, &comm.ranks));
  comms_.push_back(comm);
  truth_->line("{\"type\":\"comm\",\"comm_id\":\"" +
               std::string(16 - std::to_string(comms_.size()).size(), '0') +
               std::to_string(comms_.size()) + "\",\"name\":\"" + comm.name + "\",\"rank\":" +
               std::to_string(comm.rank) + ",\"ranks\":" + std::to_string(comm.ranks) + "}");
  return Status();
}

bool GpuRank::is_late(int iteration) const {
  if (options_.late_rank == kNobody) return false;
  uint64_t dice = (options_.seed * 7919 + static_cast<uint64_t>(iteration)) * 0x9e3779b97f4a7c15u;
  dice = (dice ^ dice >> 31) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>(dice >> 11) <
         options_.late_fraction * static_cast<double>(uint64_t{1} << 53);
}

Result<GpuRank::Outcome> GpuRank::run() {
  for (int iteration = 0; iteration < options_.iterations; ++iteration) {
    const bool at = iteration == options_.at;
    const int rank = bootstrap_->rank();
    if (is_late(iteration) && options_.late_rank == rank)
      usleep(static_cast<useconds_t>(options_.late_us));
    if (at && options_.hang_rank == rank) {
      usleep(static_cast<useconds_t>(options_.stall_us));
      abort_all();
      return Outcome::Stalled;
    }
    std::vector<std::pair<const Comm*, Call>> to_check;
    for (const Comm& comm : comms_) {
      for (const std::vector<Call>& calls : groups_of(comm, iteration)) {
        const bool graph = options_.graph_replay > 0 && calls.size() == 1;
        const Status status =
            graph ? replay(comm, iteration, calls) : call_group(comm, iteration, calls);
        if (!status.ok()) return status;
        for (const Call& call : calls) to_check.emplace_back(&comm, call);
        if (at && options_.dead_rank == rank) raise(SIGKILL);
        if (at && options_.abort_rank == rank) {
          abort_all();
          return Outcome::Stalled;
        }
        const Result<Outcome> outcome = synchronize();
        if (!outcome.ok() || outcome.value() == Outcome::Stalled) return outcome;
        for (const auto& [where, done] : to_check) {
          const Status checked = check_result(*where, done);
          if (!checked.ok()) return checked;
        }
        to_check.clear();
      }
    }
  }
  return Outcome::Done;
}

// Polls, because a stream that waits for a dead peer never becomes idle by itself.
Result<GpuRank::Outcome> GpuRank::synchronize() {
  const int64_t began_ns = clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state == cudaSuccess) break;
    if (state != cudaErrorNotReady) return cuda_failed("cudaStreamQuery", state);
    ncclResult_t error = ncclSuccess;
    for (const Comm& comm : comms_) {
      if (ncclCommGetAsyncError(comm.handle, &error) != ncclSuccess || error != ncclSuccess) break;
    }
    if (error != ncclSuccess ||
        static_cast<double>(clock_ns(CLOCK_MONOTONIC) - began_ns) > options_.stall_us * 1000) {
      abort_all();
      return Outcome::Stalled;
    }
    usleep(5);
  }
  const Instant when = now();
  for (const uint64_t id : pending_) truth_->done(id, when, 0);
  pending_.clear();
  return Outcome::Done;
}

void GpuRank::abort_all() {
  for (Comm& comm : comms_) ncclCommAbort(comm.handle);
  comms_.clear();
}

Status GpuRank::destroy() {
  for (auto& [name, graph] : graphs_) CHECK_CUDA(cudaGraphExecDestroy(graph));
  for (auto comm = comms_.rbegin(); comm != comms_.rend(); ++comm) {
    CHECK_NCCL(ncclCommFinalize(comm->handle));
    CHECK_NCCL(ncclCommDestroy(comm->handle));
  }
  comms_.clear();
  return Status();
}

}  // namespace lockstep::driver
