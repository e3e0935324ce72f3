// gpu_clock=active: a thread of ours that reads the clock of each GPU the process works on every
// few milliseconds, bracketed by the host's raw clock, into `<host>.gpu<pid>.clock`. Told of a
// communicator's GPU at init on NCCL's thread, stopped when the last communicator ends. Whatever
// fails costs one notice; kernel stamps (passive) are recorded as ever.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/thread.h"
#include "base/waker.h"
#include "clocksync/record/clock_files.h"
#include "plugin/gpu/cuda_clock.h"

namespace lockstep::plugin {

struct GpuSnapshotOptions {
  std::string cupti_path;  // empty: libcupti.so
  std::string directory;
  std::string file;  // without the suffix
  uint32_t period_ms = 100;
  std::function<void(const std::string&)> log;  // called from the thread, too
};

class GpuSnapshots {
 public:
  // Starts the thread with the first GPU.
  void add_current_gpu(const GpuSnapshotOptions& options, uint32_t comm);
  void stop();

 private:
  struct Gpu {
    std::string uuid;
    void* context = nullptr;
    std::vector<uint64_t> comms;
    std::vector<uint64_t> stamps;  // the first ones, from which the clock's step is found
  };
  Status start(uint32_t comm);
  static void* run(void* self);
  void loop();
  Status read_all();
  Status read(int device, Gpu* gpu);
  void give_up(const Status& why);

  GpuSnapshotOptions options_;
  std::optional<CudaClock> cuda_;
  std::optional<clocksync::ClockRecordWriter> writer_;
  ServiceThread thread_;
  Waker waker_;
  std::atomic<bool> stopping_{false};
  bool failed_ = false;  // for good; only the thread that adds GPUs looks
  std::mutex mutex_;     // of gpus_
  std::map<int, Gpu> gpus_;
};

}  // namespace lockstep::plugin
