// A stand-in for libnvidia-ml.so.1: one GPU whose state a test gives in the environment. NVML_CLOCK_MHZ and
// NVML_THROTTLE are what it tells; with NVML_HANG it never answers after it has begun.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

unsigned long long from_environment(const char* name, unsigned long long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

constexpr int kNotSupported = 3;

}  // namespace

EXPORT int nvmlInit_v2() {
  while (std::getenv("NVML_HANG") != nullptr) pause();
  return 0;
}
EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = device;
  return index == 0 ? 0 : kNotSupported;
}
EXPORT int nvmlDeviceGetUUID(void*, char* uuid, unsigned size) {
  std::strncpy(uuid, "GPU-00000000-1111-2222-3333-444444444444", size);
  return 0;
}
EXPORT int nvmlDeviceGetClockInfo(void*, int which, unsigned* mhz) {
  *mhz = which == 1 ? static_cast<unsigned>(from_environment("NVML_CLOCK_MHZ", 1980)) : 2619;
  return 0;
}
// The older name of nvmlDeviceGetCurrentClocksEventReasons.
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* mask) {
  *mask = from_environment("NVML_THROTTLE", 0);
  return 0;
}
EXPORT int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 64;
  return 0;
}
EXPORT int nvmlDeviceGetPowerUsage(void*, unsigned* mw) {
  *mw = 350'000;
  return 0;
}
EXPORT int nvmlDeviceGetTotalEccErrors(void*, int type, int, unsigned long long* count) {
  *count = type == 0 ? 5 : 1;
  return 0;
}
EXPORT int nvmlDeviceGetRemappedRows(void*, unsigned* corrected, unsigned* uncorrected,
                                     unsigned* pending, unsigned* failed) {
  *corrected = 2;
  *uncorrected = 1;
  *pending = 1;
  *failed = 0;
  return 0;
}
EXPORT int nvmlDeviceGetPcieReplayCounter(void*, unsigned*) { return kNotSupported; }
EXPORT int nvmlDeviceGetNvLinkState(void*, unsigned link, int* active) {
  *active = 1;
  return link < 2 ? 0 : kNotSupported;
}
EXPORT int nvmlDeviceGetNvLinkErrorCounter(void*, unsigned link, int counter,
                                           unsigned long long* count) {
  *count = link * 10 + static_cast<unsigned>(counter);
  return 0;
}
