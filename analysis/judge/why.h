// Why somebody was late, as far as the host and the run's own data tell: the answer and the numbers
// that it rests on. Plain data, made by analysis/why; analysis/say puts it into words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::analysis {

enum class Why : uint8_t {
  NotKnown,        // nothing was sampled while it was late
  OwnCode,         // sampled, and nothing else explains it
  NoProcessor,     // its threads could have run and had no processor
  Throttled,       // by the processor quota of a cgroup, or its GPU's clock
  MemoryPressure,  // threads waited for memory
  GpuErrors,
  LinkErrors,   // of a port
  Retransmits,  // TCP sent again
  PrecededBy,   // the run's own data show what came before
};
// As JSON and people read them.
constexpr const char* kWhyNames[] = {"not_known",   "own_code",        "no_processor",
                                     "throttled",   "memory_pressure", "gpu_errors",
                                     "link_errors", "retransmits",     "preceded_by"};
inline const char* name_of(Why why) { return kWhyNames[static_cast<unsigned>(why)]; }

// One measurement: `amount` of `of`. Of times in ns, `of` is the lateness that was sampled.
struct WhySeen {
  enum class What : uint8_t {
    ProcessorWait,    // ns; the part of it that others on the host do not have
    CgroupThrottled,  // ns; `where`: the cgroup
    GpuThrottled,     // ns; `where`: the GPU
    MemoryStall,      // ns; `where`: the cgroup, empty: the host
    GpuErrors,        // ns of lateness while `where`, a fact of a GPU, counted errors
    LinkErrors,       // errors; `of` is not known; `where`: device and counter
    Retransmits,      // TCP segments of all that were sent
    NewCommunicator,  // moments with one just made, of all moments it was late
    Period,           // moments; it comes at a period, as a checkpoint does
  } what = What::ProcessorWait;
  int64_t amount = 0, of = 0;
  int64_t others = 0;  // what others had at the same time: ranks of its host, other hosts or GPUs
  std::string where;
  uint32_t port = 0;  // of an InfiniBand device; else 0
};
constexpr const char* kWhatNames[] = {"processor_wait", "cgroup_throttled", "gpu_throttled",
                                      "memory_stall",   "gpu_errors",       "link_errors",
                                      "retransmits",    "new_communicator", "period"};
constexpr const char* kWhatUnits[] = {"ns",     "ns",       "ns",      "ns",     "ns",
                                      "errors", "segments", "moments", "moments"};

struct WhyFacts {
  Why why = Why::NotKnown;
  std::vector<WhySeen> seen;  // what decided comes first
};

}  // namespace lockstep::analysis
