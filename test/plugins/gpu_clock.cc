// Stands in for the CUDA driver and CUPTI where there is no GPU: one device whose clock is
// REALTIME plus GPU_CLOCK_OFFSET_NS, running GPU_CLOCK_PPM fast from REALTIME 0 on, rounded down to
// 32 ns. GPU_CLOCK_FAIL=1 makes reading fail; so does reading without a context or in a mode that
// would break a stream capture.
#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

thread_local bool relaxed = false;
int the_context;

double number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtod(text, nullptr) : 0;
}

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
  if (context != &the_context || !relaxed || number("GPU_CLOCK_FAIL") != 0) return 1;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t real_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  const auto fast_ns =
      static_cast<int64_t>(static_cast<double>(real_ns) * number("GPU_CLOCK_PPM") * 1e-6);
  *ns = static_cast<uint64_t>(real_ns + fast_ns +
                              std::strtoll(std::getenv("GPU_CLOCK_OFFSET_NS"), nullptr, 10)) &
        ~uint64_t{31};
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
