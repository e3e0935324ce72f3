#include "test/drivers/emulate/gpu.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace lockstep::driver {

GpuClock::GpuClock(const GpuClockOptions& options, int rank)
    : rate_(1 + options.drift_ppm * (rank + 1) * 1e-6),
      offset_ns_(static_cast<int64_t>(options.offset_us * 1000 * (rank + 1))),
      resolution_ns_(options.resolution_ns),
      zero_(driver::now()) {}

uint64_t GpuClock::now() const {
  const auto since_zero = static_cast<double>(clock_ns(CLOCK_MONOTONIC_RAW) - zero_.raw_ns);
  const int64_t exact_ns = zero_ns() + static_cast<int64_t>(since_zero * rate_);
  return static_cast<uint64_t>(exact_ns - exact_ns % resolution_ns_);
}

void GpuClock::publish() const {
  char text[120];
  snprintf(text, sizeof text, "%lld %lld %.12f %lld", static_cast<long long>(zero_raw_ns()),
           static_cast<long long>(zero_ns()), rate_, static_cast<long long>(resolution_ns_));
  setenv("EMULATED_GPU_CLOCK", text, 1);
}

void Stream::launch(const std::shared_ptr<Kernel>& kernel) {
  kernel->launch_stamp = clock_->now();
  const std::lock_guard<std::mutex> lock(mutex_);
  // One without channels needs nobody to advance it.
  if (kernel->works.empty() && kernels_.empty()) {
    kernel->finished = true;
    kernel->finished_at = driver::now();
    return;
  }
  kernels_.push_back(kernel);
}

bool Stream::advance() {
  const std::lock_guard<std::mutex> lock(mutex_);
  bool changed = false;
  while (!kernels_.empty() && advance_front()) changed = true;
  return changed;
}

// Answers whether the kernel at the front is over.
bool Stream::advance_front() {
  Kernel& kernel = *kernels_.front();
  if (!kernel.started) {
    kernel.started = true;
    for (const auto& work : kernel.works) {
      work->running = true;
      work->start_stamp = std::max(kernel.launch_stamp, last_stop_);
    }
  }
  bool all_done = true;
  for (const auto& work : kernel.works) {
    if (!work->done && work->consumed == work->recv_steps && work->filled() == work->send_steps) {
      work->done = true;
      work->stop_stamp = std::max(clock_->now(), work->start_stamp);
    }
    all_done = all_done && work->done;
  }
  if (!all_done) return false;
  last_stop_ = std::max(clock_->now(), last_stop_);
  kernel.finished = true;
  kernel.finished_at = driver::now();
  kernels_.pop_front();
  finished_.notify_all();
  return true;
}

bool Stream::wait(const Kernel& kernel, double timeout_us) {
  std::unique_lock<std::mutex> lock(mutex_);
  return finished_.wait_for(lock, std::chrono::duration<double, std::micro>(timeout_us),
                            [&] { return kernel.finished; });
}

}  // namespace lockstep::driver
