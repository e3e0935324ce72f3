// The few functions of the CUDA driver and of CUPTI that read a GPU's clock, looked up while the
// program runs: the driver only where the host program has loaded it already, CUPTI by path. Opened
// and asked for the current device on NCCL's init thread; contexts and readings belong to the
// snapshot thread alone. Links nothing of CUDA, submits nothing to a stream, subscribes to nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::plugin {

class CudaClock {
 public:
  // An empty path: libcupti.so.12 or libcupti.so, as the loader finds them. The libraries stay loaded.
  static Result<CudaClock> open(const std::string& cupti_path);

  // The device of the calling thread's context.
  std::optional<int> current_device() const;
  std::string uuid(int device) const;

  // Keeps this thread's calls from spoiling a stream capture of another thread (CUDA's relaxed
  // mode).
  bool spare_captures() const;
  void* retain(int device) const;  // the primary context, or nullptr
  void release(int device) const;
  std::optional<uint64_t> stamp(void* context) const;

  // The tightest of a few readings, between two readings of CLOCK_MONOTONIC_RAW.
  std::optional<GpuSnapshot> snapshot(void* context) const;

 private:
  CudaClock() = default;
  bool find_functions(void* cuda, void* cupti);

  int (*get_device_)(int*) = nullptr;
  int (*get_uuid_)(void*, int) = nullptr;
  int (*exchange_capture_mode_)(int*) = nullptr;
  int (*retain_)(void**, int) = nullptr;
  int (*release_)(int) = nullptr;
  int (*stamp_)(void*, uint64_t*) = nullptr;
};

}  // namespace lockstep::plugin
