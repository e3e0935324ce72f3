// Stands in for the CUDA driver and CUPTI where there is no GPU: one device, whose clock is the one
// that the emulator's kernels are stamped with (GpuClock::publish). GPU_CLOCK_FAIL=1 makes reading
// fail; so does reading without a context or in a mode that would break a stream capture.
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

thread_local bool relaxed = false;
int the_context;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}

int cuDeviceGetUuid(void* uuid, int) {
  std::memset(uuid, 0xab, 16);
  return 0;
}

int cuThreadExchangeStreamCaptureMode(int* mode) {
  relaxed = *mode == 2;
  *mode = 0;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &the_context;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

int cuptiDeviceGetTimestamp(void* context, uint64_t* ns) {
  const char* const clock = std::getenv("EMULATED_GPU_CLOCK");
  if (context != &the_context || !relaxed || std::getenv("GPU_CLOCK_FAIL") != nullptr) return 1;
  long long zero_raw_ns = 0, zero_ns = 0, step_ns = 1;
  double rate = 1;
  if (clock == nullptr ||
      std::sscanf(clock, "%lld %lld %lf %lld", &zero_raw_ns, &zero_ns, &rate, &step_ns) != 4) {
    return 1;
  }
  timespec raw{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
  const int64_t since_ns = int64_t{raw.tv_sec} * 1'000'000'000 + raw.tv_nsec - zero_raw_ns;
  const int64_t exact_ns = zero_ns + static_cast<int64_t>(static_cast<double>(since_ns) * rate);
  *ns = static_cast<uint64_t>(exact_ns - exact_ns % step_ns);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
