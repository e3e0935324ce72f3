#include "hostload/sample/nvml.h"

#include <dlfcn.h>

#include "base/clock_ns.h"

namespace lockstep::hostload {
namespace {

// As NVML's header has them; no header of NVIDIA's is needed to build.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2;
constexpr int kTemperatureOfGpu = 0;
constexpr int kVolatileEcc = 0;
constexpr unsigned kMostGpus = 64, kMostLinks = 18;
constexpr unsigned kUuidBytes = 96;

struct NvLinkCounter {
  int number;
  const char* name;
};
constexpr NvLinkCounter kNvLinkCounters[] = {
    {0, "replays"}, {1, "recoveries"}, {2, "crc_flit_errors"}, {3, "crc_data_errors"}};

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    const auto init = find<int()>("nvmlInit_v2");
    ready_ = init != nullptr && init() == kSuccess;
  }

  std::vector<CounterReading> read() {
    std::vector<CounterReading> readings;
    unsigned count = 0;
    if (!ready_ || !call<unsigned*>("nvmlDeviceGetCount_v2", &count)) return readings;
    for (unsigned index = 0; index < count && index < kMostGpus; ++index) {
      Device device = nullptr;
      char uuid[kUuidBytes] = {};
      if (!call<unsigned, Device*>("nvmlDeviceGetHandleByIndex_v2", index, &device) ||
          !call<Device, char*, unsigned>("nvmlDeviceGetUUID", device, uuid, kUuidBytes - 1))
        continue;
      gpu_ = {uuid, index, ""};
      out_ = &readings;
      read_load(device);
      read_errors(device);
      read_links(device);
    }
    return readings;
  }

 private:
  template <class Function>
  Function* find(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
  }
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = find<int(Arguments...)>(name);
    return function != nullptr && function(arguments...) == kSuccess;
  }
  void put(std::string name, uint64_t value) {
    gpu_.name = std::move(name);
    out_->push_back({gpu_, raw_now_ns(), static_cast<int64_t>(value & INT64_MAX)});
  }
  // Of a function that takes the device, perhaps something more, and where to put the value.
  template <class Number, class... More>
  bool put_from(const char* function, const std::string& name, Device device, More... more) {
    Number value = 0;
    if (!call<Device, More..., Number*>(function, device, more..., &value)) return false;
    put(name, static_cast<uint64_t>(value));
    return true;
  }

  void read_load(Device device) {
    using Mask = unsigned long long;
    put_from<unsigned>("nvmlDeviceGetClockInfo", "sm_clock_mhz", device, kClockSm);
    put_from<unsigned>("nvmlDeviceGetClockInfo", "memory_clock_mhz", device, kClockMemory);
    // Its name until the driver 535.
    if (!put_from<Mask>("nvmlDeviceGetCurrentClocksEventReasons", "throttle_reasons", device))
      put_from<Mask>("nvmlDeviceGetCurrentClocksThrottleReasons", "throttle_reasons", device);
    put_from<unsigned>("nvmlDeviceGetTemperature", "temperature_c", device, kTemperatureOfGpu);
    put_from<unsigned>("nvmlDeviceGetPowerUsage", "power_mw", device);
    put_from<unsigned>("nvmlDeviceGetEnforcedPowerLimit", "power_limit_mw", device);
  }

  void read_errors(Device device) {
    using Count = unsigned long long;
    put_from<Count>("nvmlDeviceGetTotalEccErrors", "ecc_corrected", device, 0, kVolatileEcc);
    put_from<Count>("nvmlDeviceGetTotalEccErrors", "ecc_uncorrected", device, 1, kVolatileEcc);
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (call<Device, unsigned*, unsigned*, unsigned*, unsigned*>(
            "nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &pending, &failed)) {
      put("remapped_rows_corrected", corrected);
      put("remapped_rows_uncorrected", uncorrected);
      put("remapped_rows_pending", pending);
      put("remapped_rows_failed", failed);
    }
    put_from<unsigned>("nvmlDeviceGetPcieReplayCounter", "pcie_replays", device);
  }

  void read_links(Device device) {
    for (unsigned link = 0; link < kMostLinks; ++link) {
      const std::string prefix = "nvlink" + std::to_string(link) + "_";
      // A GPU without this link says so.
      if (!put_from<int>("nvmlDeviceGetNvLinkState", prefix + "active", device, link)) return;
      for (const NvLinkCounter& counter : kNvLinkCounters) {
        put_from<unsigned long long>("nvmlDeviceGetNvLinkErrorCounter", prefix + counter.name,
                                     device, link, counter.number);
      }
    }
  }

  void* library_;
  bool ready_ = false;
  LoadCounter gpu_;  // of the GPU that is being read
  std::vector<CounterReading>* out_ = nullptr;
};

}  // namespace

// Never unloaded: a driver that hangs may still be inside.
std::vector<CounterReading> read_gpus() {
  static Nvml* const nvml = new Nvml;
  return nvml->read();
}

}  // namespace lockstep::hostload
