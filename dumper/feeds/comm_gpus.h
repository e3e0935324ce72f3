// Which GPU each communicator runs on. Told at init on NCCL's thread (plugin/gpu/gpu_identity.h), asked
// by the Prometheus text on the dump thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace lockstep::dumper {

struct GpuName {
  std::string label;  // GPU<ordinal>, "unknown" without CUDA
  std::string uuid;   // 8-4-4-4-12, or empty
};

class CommGpus {
 public:
  void set(uint32_t comm, GpuName gpu) {
    const std::lock_guard<std::mutex> lock(mutex_);
    gpus_[comm] = std::move(gpu);
  }
  GpuName get(uint32_t comm) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = gpus_.find(comm);
    return found != gpus_.end() ? found->second : GpuName{"unknown", ""};
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint32_t, GpuName> gpus_;
};

}  // namespace lockstep::dumper
