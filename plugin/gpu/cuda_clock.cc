#include "plugin/gpu/cuda_clock.h"

#include <dlfcn.h>

#include <iterator>
#include <vector>

#include "clocksync/wire/clock_source.h"
#include "plugin/gpu/gpu_identity.h"

namespace lockstep::plugin {
namespace {

constexpr int kReadings = 5;
// A program that has CUPTI loaded, as PyTorch does, often has it under its versioned name alone. CUPTI 13
// no longer has the function.
constexpr const char* kCuptiNames[] = {"libcupti.so.12", "libcupti.so"};
constexpr int kRelaxedCapture = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED

template <typename Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

bool CudaClock::find_functions(void* cuda, void* cupti) {
  return find(cuda, "cuCtxGetDevice", &get_device_) && find(cuda, "cuDeviceGetUuid", &get_uuid_) &&
         find(cuda, "cuThreadExchangeStreamCaptureMode", &exchange_capture_mode_) &&
         find(cuda, "cuDevicePrimaryCtxRetain", &retain_) &&
         find(cuda, "cuDevicePrimaryCtxRelease_v2", &release_) &&
         find(cupti, "cuptiDeviceGetTimestamp", &stamp_);
}

Result<CudaClock> CudaClock::open(const std::string& cupti_path) {
  std::vector<std::string> paths = {cupti_path};
  if (cupti_path.empty()) paths.assign(std::begin(kCuptiNames), std::end(kCuptiNames));
  void* cupti = nullptr;
  std::string path;
  for (size_t i = 0; i < paths.size() && cupti == nullptr; ++i) {
    path = paths[i];
    cupti = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  if (cupti == nullptr) {
    return Status::error(path +
                         ": cannot be loaded, GPU clocks are not read actively; give the path of "
                         "libcupti.so in LOCKSTEP_CUPTI");
  }
  void* const cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  CudaClock clock;
  if (!clock.find_functions(cuda != nullptr ? cuda : cupti, cupti)) {
    return Status::error(path +
                         ": the CUDA driver or CUPTI lacks a function to read GPU clocks with, so "
                         "kernel stamps alone bound them; CUPTI 11 and 12 have it "
                         "(cuptiDeviceGetTimestamp), CUPTI 13 has not");
  }
  return clock;
}

std::optional<int> CudaClock::current_device() const {
  int device = -1;
  if (get_device_(&device) != 0) return std::nullopt;
  return device;
}

std::string CudaClock::uuid(int device) const {
  GpuUuid uuid{};
  return get_uuid_(&uuid, device) == 0 ? uuid_text(uuid) : "";
}

bool CudaClock::spare_captures() const {
  int mode = kRelaxedCapture;
  return exchange_capture_mode_(&mode) == 0;
}

void* CudaClock::retain(int device) const {
  void* context = nullptr;
  return retain_(&context, device) == 0 ? context : nullptr;
}

void CudaClock::release(int device) const { release_(device); }

std::optional<uint64_t> CudaClock::stamp(void* context) const {
  uint64_t ns = 0;
  if (stamp_(context, &ns) != 0) return std::nullopt;
  return ns;
}

std::optional<GpuSnapshot> CudaClock::snapshot(void* context) const {
  const clocksync::HostClock host;
  std::optional<GpuSnapshot> best;
  for (int i = 0; i < kReadings; ++i) {
    GpuSnapshot reading;
    reading.raw_lo_ns = host.raw_ns();
    const std::optional<uint64_t> ns = stamp(context);
    reading.raw_hi_ns = host.raw_ns();
    if (!ns) return std::nullopt;
    reading.gpu_ns = static_cast<int64_t>(*ns);
    reading.t_raw_ns = reading.raw_hi_ns;
    reading.method = "cupti";
    if (!best || reading.raw_hi_ns - reading.raw_lo_ns < best->raw_hi_ns - best->raw_lo_ns)
      best = reading;
  }
  return best;
}

}  // namespace lockstep::plugin
