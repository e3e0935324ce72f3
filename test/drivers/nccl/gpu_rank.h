// One rank on a real GPU: communicators, buffers, the operations of one iteration, and the check of
// their results. Used by one thread. Failures of CUDA or NCCL come back as one sentence naming the
// call.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <map>
#include <string>
#include <vector>

#include "test/drivers/common/bootstrap.h"
#include "test/drivers/common/truth.h"
#include "test/drivers/nccl/options.h"

namespace lockstep::driver {

class GpuRank {
 public:
  GpuRank(const NcclOptions& options, Bootstrap* bootstrap, TruthFile* truth)
      : options_(options), bootstrap_(bootstrap), truth_(truth) {}

  Status open_gpu();
  Status create_communicators();
  // Stalled: an operation did not finish in time and everything was aborted.
  enum class Outcome { Done, Stalled };
  Result<Outcome> run();
  Status destroy();

 private:
  struct Comm {
    ncclComm_t handle = nullptr;
    std::string name;
    int rank = 0;
    int ranks = 0;
  };
  struct Call {
    const char* func;
    uint64_t bytes;
    int root = 0;
    int peer = 0;
    int slot = 0;  // which part of the buffers, where several are in flight
  };

  Status check_gpu_for_ranks(int devices) const;
  Status add_communicator(ncclComm_t handle, const char* name);
  std::vector<std::vector<Call>> groups_of(const Comm& comm, int iteration) const;
  Status call_group(const Comm& comm, int iteration, const std::vector<Call>& calls);
  Status enqueue(const Comm& comm, const Call& call);
  Status replay(const Comm& comm, int iteration, const std::vector<Call>& calls);
  Status check_result(const Comm& comm, const Call& call);
  Result<Outcome> synchronize();
  Status fill_send_buffers();
  bool is_late(int iteration) const;
  void abort_all();
  float expected(const Comm& comm, const Call& call, uint64_t element) const;

  const NcclOptions& options_;
  Bootstrap* bootstrap_;
  TruthFile* truth_;
  cudaStream_t stream_ = nullptr;
  float* send_ = nullptr;
  float* receive_ = nullptr;
  uint64_t slot_bytes_ = 0;
  std::vector<Comm> comms_;
  std::map<std::string, cudaGraphExec_t> graphs_;
  std::map<std::string, uint64_t> ordinals_;
  std::vector<uint64_t> pending_;
  uint64_t next_operation_ = 0;
};

}  // namespace lockstep::driver
