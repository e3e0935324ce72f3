#include "plugin/gpu/gpu_snapshots.h"

#include "clocksync/solve/gpu_clock.h"

namespace lockstep::plugin {
namespace {

constexpr size_t kStampsForStep = 64;

}  // namespace

void GpuSnapshots::give_up(const Status& why) {
  if (options_.log) options_.log(why.message());
}

void GpuSnapshots::add_current_gpu(const GpuSnapshotOptions& options, uint32_t comm) {
  if (failed_) return;
  if (!thread_.running()) options_ = options;
  const Status started = start(comm);
  if (started.ok()) return;
  failed_ = true;
  give_up(started);
}

Status GpuSnapshots::start(uint32_t comm) {
  if (!cuda_) {
    Result<CudaClock> opened = CudaClock::open(options_.cupti_path);
    if (!opened.ok()) return opened.status();
    cuda_ = opened.value();
  }
  const std::optional<int> device = cuda_->current_device();
  if (!device)
    return Status::error("the CUDA driver names no current device, GPU clocks are not read");
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    gpus_[*device].uuid = cuda_->uuid(*device);
    gpus_[*device].comms.push_back(comm);
  }
  if (thread_.running()) return Status();
  stopping_.store(false);
  if (thread_.start("lockstep-gpuclk", run, this)) return Status();
  return Status::error("cannot create a thread: GPU clocks are not read");
}

void GpuSnapshots::stop() {
  if (!thread_.running()) return;
  stopping_.store(true);
  waker_.wake();
  thread_.join();
  const std::lock_guard<std::mutex> lock(mutex_);
  gpus_.clear();
}

void* GpuSnapshots::run(void* self) {
  static_cast<GpuSnapshots*>(self)->loop();
  return nullptr;
}

void GpuSnapshots::loop() {
  // Reading is not worth a user's stream capture: without the relaxed mode, nothing is read.
  Status status = cuda_->spare_captures()
                      ? Status()
                      : Status::error(
                            "the CUDA driver cannot spare stream captures, GPU clocks "
                            "are not read");
  while (status.ok() && !stopping_.load()) {
    status = read_all();
    if (status.ok() && writer_) status = writer_->flush();
    if (status.ok()) waker_.sleep_us(uint64_t{options_.period_ms} * 1000);
  }
  if (!status.ok()) give_up(status);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [device, gpu] : gpus_) {
    if (gpu.context != nullptr) cuda_->release(device);
  }
}

Status GpuSnapshots::read_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [device, gpu] : gpus_) {
    Status status = read(device, &gpu);
    if (!status.ok()) return status;
  }
  return Status();
}

Status GpuSnapshots::read(int device, Gpu* gpu) {
  if (gpu->context == nullptr) gpu->context = cuda_->retain(device);
  std::optional<GpuSnapshot> snapshot;
  if (gpu->context != nullptr) snapshot = cuda_->snapshot(gpu->context);
  if (!snapshot) {
    return Status::error("the clock of GPU" + std::to_string(device) +
                         " could not be read through CUPTI; only kernel stamps are used from here");
  }
  if (gpu->stamps.size() < kStampsForStep)
    gpu->stamps.push_back(static_cast<uint64_t>(snapshot->gpu_ns));
  snapshot->granularity_ns = clocksync::detect_granularity_ns(gpu->stamps);
  snapshot->gpu_uuid = gpu->uuid;
  snapshot->comms = gpu->comms;
  if (!writer_) {  // with the first reading, so that no file says nothing
    Result<clocksync::ClockRecordWriter> writer =
        clocksync::ClockRecordWriter::open(options_.directory, options_.file);
    if (!writer.ok()) return writer.status();
    writer_.emplace(std::move(writer.value()));
  }
  writer_->append(*snapshot);
  return Status();
}

}  // namespace lockstep::plugin
