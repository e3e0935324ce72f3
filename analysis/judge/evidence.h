// What a finding rests on: rows of the tables and what was seen in them, as data. Plain structures,
// made with the finding; analysis/say puts each into a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "analysis/account/slower.h"
#include "analysis/judge/lateness.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// `processes`: gone, its recording never closed.
struct DeathSeen {
  int32_t rank = -1;
  uint32_t process = kNoRow;
  int64_t silent_ns = kNoTime;  // since its last record, to the last sign of life of the survivors
};
// `processes`: its last sign of life is older than the others' by so much.
struct SilenceSeen {
  int32_t rank = -1;
  uint32_t process = kNoRow;
  int64_t silent_ns = 0;
};
// `processes`: what the process table says of one that still runs, where it does not simply run.
struct HaltSeen {
  int32_t rank = -1;
  uint32_t process = kNoRow;
};
// `processes`: gone after they had waited inside.
struct KilledWhileWaiting {
  std::vector<int32_t> ranks;
};
// `operations`: called instead of `expected` at the same position of the communicator.
struct OtherCall {
  int32_t rank = -1;
  uint32_t operation = kNoRow, expected = kNoRow;
};
// `operations`: what these ranks passed; of the row only the bytes count where a launch was recorded
// without its call.
struct ValuesPassed {
  std::vector<int32_t> ranks;
  uint32_t operation = kNoRow;
  bool bytes_only = false;
};
// `operations`: what the others' earlier calls, or those of other communicators of this size, lead to
// at this position.
struct UsualCall {
  std::vector<int32_t> ranks;  // who passed that
};
// `operations`: no row at the stalled position.
struct NeverCalled {
  int32_t rank = -1;
  uint32_t last = kNoRow;  // its last row on the communicator
};
// `members`: gave its communicator up before the others.
struct EarlyFinalize {
  int32_t rank = -1;
  int64_t ahead_ns = 0;
};
// `open_transports`: nothing has moved there for so long.
struct OpenTransport {
  uint32_t row = kNoRow;
  int64_t idle_ns = 0;
};
// `operations`: inside, without progress for so long before the end.
struct LastProgress {
  int32_t rank = -1;
  uint32_t operation = kNoRow;
  int64_t idle_ns = 0;
};
// `matches`: an operation that one rank was late for.
struct LateArrival {
  LateOperation late;
};
// `communicators`: the accused is late on this one too.
struct LateElsewhere {
  RankBlame rank;
};
// `operations`: the column that shows a slow path, against the other ranks'.
struct SlowColumn {
  enum class Name : uint8_t { Network, ProxyLag, Waits, Flush } name = Name::Network;
  int32_t rank = -1;
  int64_t own_ns = 0, others_ns = 0;  // per operation
  uint64_t operations = 0;
  uint32_t operation = kNoRow;  // one of them
};
// `operations`: what that column has in one of them.
struct SlowOperation {
  SlowColumn::Name column = SlowColumn::Name::Network;
  uint32_t operation = kNoRow;
  int64_t own_ns = 0;
};
// `matches`: operations of one function and size that take longer than usual for one reason.
struct TransfersSeen {
  SlowSide side = SlowSide::Anybody;
  // Sender and receiver, in this order; Gpu: whose it is; Anybody: all that take part.
  std::vector<int32_t> ranks;  // of the operations' communicator
  std::vector<uint32_t> processes;
  uint32_t match = kNoRow;  // one of them
  uint64_t operations = 0;
  int64_t own_ns = 0, usual_ns = 0;  // per operation
};
// `matches`: how long one of them took, from its last arrival to its end.
struct TransferSeen {
  uint32_t match = kNoRow;
  int64_t took_ns = 0, usual_ns = 0;
};
// `expected_times`: operations of one kind that took longer than is expected of it.
struct KindSlower {
  SlowerKind kind;
};
// `host_load`: how many threads could run on a host, on average, and on how many processors.
struct HostCrowded {
  uint32_t process = kNoRow;  // one that runs there
  double runnable = 0;
  int64_t processors = 0;
  int64_t samples = 0;
};
// `host_load`: how long the threads of a cgroup stood still because its processor quota was used up, while
// ranks of its host were late.
struct QuotaUsedUp {
  uint32_t process = kNoRow;  // one that runs on that host
  std::string cgroup;
  int64_t throttled_ns = 0, late_ns = 0;
};
// `thread_load`: how long these ranks waited for a processor, of the time that they were late and sampled.
struct ProcessorWaited {
  std::vector<int32_t> ranks;  // in the largest communicator of their processes
  std::vector<uint32_t> processes;
  int64_t wait_ns = 0, late_ns = 0;
};
// `nic_counters`: TCP segments that the process's host sent again, of all that it sent.
struct SentAgain {
  uint32_t process = kNoRow;
  int64_t again = 0, all = 0;
  int64_t others = 0;  // that another host sent again, at most
};
// `nic_counters`: how many of them in a stretch of time, and what the process was in then.
struct SentAgainWhile {
  uint32_t process = kNoRow;
  int64_t from_ns = kNoTime, to_ns = kNoTime;
  int64_t again = 0;
  uint32_t operation = kNoRow;  // it was longest in this one,
  int64_t inside_ns = 0;        // for so long
};

// NCCL's own RAS service: what it knows of a rank, from outside its process.
struct RasSeen {
  enum class Said : uint8_t { Answers, Unresponsive, ConsideredDead } said = Said::Answers;
  int32_t rank = -1;
  uint32_t process = kNoRow;
  uint64_t launched = 0;  // Answers: of the finding's function on its communicator
};

using Evidence =
    std::variant<DeathSeen, SilenceSeen, HaltSeen, KilledWhileWaiting, OtherCall, ValuesPassed,
                 UsualCall, NeverCalled, EarlyFinalize, OpenTransport, LastProgress, LateArrival,
                 LateElsewhere, SlowColumn, SlowOperation, TransfersSeen, TransferSeen, KindSlower,
                 HostCrowded, QuotaUsedUp, ProcessorWaited, SentAgain, SentAgainWhile, RasSeen>;

// Why somebody was late, as far as its host and the run's own data tell. Made by analysis/why.
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
  Delay,        // packets take longer to its host and back
};
// As JSON and people read them.
constexpr const char* kWhyNames[] = {"not_known",       "own_code",   "no_processor", "throttled",
                                     "memory_pressure", "gpu_errors", "link_errors",  "retransmits",
                                     "preceded_by",     "delay"};
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
    MemoryLimit,      // ns of lateness while its own cgroup, `where`, was at its memory limit
    RoundTrip,        // ns that the fastest packets take to its host and back
  } what = What::ProcessorWait;
  int64_t amount = 0, of = 0;
  int64_t others = 0;  // what others had at the same time: ranks of its host, other hosts or GPUs
  std::string where;
  uint32_t port = 0;  // of an InfiniBand device; else 0
};
constexpr const char* kWhatNames[] = {"processor_wait", "cgroup_throttled", "gpu_throttled",
                                      "memory_stall",   "gpu_errors",       "link_errors",
                                      "retransmits",    "new_communicator", "period",
                                      "memory_limit",   "round_trip"};
constexpr const char* kWhatUnits[] = {"ns",       "ns",      "ns",      "ns", "ns", "errors",
                                      "segments", "moments", "moments", "ns", "ns"};

struct WhyFacts {
  Why why = Why::NotKnown;
  std::vector<WhySeen> seen;  // what decided comes first
};

}  // namespace lockstep::analysis
