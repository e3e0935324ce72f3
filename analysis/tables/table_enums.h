// The closed sets of words that appear in the tables of tables.h, each with the text that every
// consumer prints (SQL, CSV, JSON, report), so that one word never has two spellings. Order is part
// of the stored form: append only.
#pragma once

#include <cstdint>

namespace lockstep::analysis {

// What an operation is, as NCCL told it.
enum class OpKind : uint8_t {
  Collective,    // a Coll event
  PointToPoint,  // a P2p event: one send or one receive
  CopyEngine,    // a CeColl event: times bracket the host's enqueue only
  ApiOnly,  // a CollApi or P2pApi call that no launch event followed (broadcast, symmetric kernels,
            // ...)
  Assembled,  // all-to-all, gather or scatter put together from the sends and receives of one group
              // call
};
constexpr const char* kOpKindNames[] = {"collective", "p2p", "copy_engine", "api_only",
                                        "assembled"};

// How far an operation got, as far as the recording tells.
enum class OpState : uint8_t {
  Done,      // its last child stopped
  Enqueued,  // handed to the GPU; nothing in the recording can tell when it ended (no KernelCh, no
             // network steps)
  InFlight,  // open when the recording ends
  Incomplete,  // a stop is missing, but the same communicator went on, so it did end
  Aborted,     // open when its communicator was finalized
  Captured,    // a call captured into a graph: executed only by its replays
};
constexpr const char* kOpStateNames[] = {"done",       "enqueued", "in_flight",
                                         "incomplete", "aborted",  "captured"};

// Which moment stands for "this rank was ready" (ArrivalRow::arrival_ns), best first.
enum class ArrivalBasis : uint8_t { KernelStart, KernelSeen, Enqueue, ApiCall };
constexpr const char* kArrivalBasisNames[] = {"kernel_start", "kernel_seen", "enqueue", "api_call"};

// What a communicator is for in the job (analysis/relate/roles.h).
enum class CommRole : uint8_t { Unknown, World, Tensor, Pipeline, Data, Expert, Context };
constexpr const char* kCommRoleNames[] = {"unknown", "world",  "tensor", "pipeline",
                                          "data",    "expert", "context"};

// What a line of a log says of itself.
enum class LogLevel : uint8_t { Unknown, Info, Warning, Error };
constexpr const char* kLogLevelNames[] = {"unknown", "info", "warning", "error"};

// Why the others waited. Unknown is an answer: data do not suffice to tell.
enum class Cause : uint8_t {
  None,
  HostLate,
  GpuLate,
  PeerLate,
  NetworkSlow,
  ProxyStarved,
  Unknown
};
constexpr const char* kCauseNames[] = {"none",         "host_late",     "gpu_late", "peer_late",
                                       "network_slow", "proxy_starved", "unknown"};

// What became of a process, as far as this machine can tell.
enum class Life : uint8_t {
  Unknown,  // it runs or ran on another machine and did not close its recording
  Ended,    // it closed its recording
  Running,
  Dead,     // it is gone and never closed its recording
  Stopped,  // it runs, stopped by a signal
  Blocked,  // it runs, and waits inside the kernel where no signal reaches it
};
constexpr const char* kLifeNames[] = {"unknown", "ended", "running", "dead", "stopped", "blocked"};
inline bool still_runs(Life life) {
  return life == Life::Running || life == Life::Stopped || life == Life::Blocked;
}

// `last_state` of what has reached none (kStateNames has the others).
constexpr uint8_t kNoState = 255;

// OperationRow::send_peer, receive_peer: different ones on different channels.
constexpr int32_t kSeveralPeers = -2;

// OperationRow::flags
// GPU stamps contradict the host's: not used.
constexpr uint8_t kSuspectGpuTime = 1;
// The same GPU interval as another operation: time of the whole batch.
constexpr uint8_t kSharedKernel = 2;
constexpr uint8_t kForeignChildren = 4;  // children recorded by another process (PXN) were joined
constexpr uint8_t kOrphan = 8;           // its API call is not in the recording
constexpr uint8_t kGraph = 16;           // captured into, or replayed from, a CUDA graph
// A proxy operation without any state: a transport that never reports.
constexpr uint8_t kNeverSteppedProxy = 32;
// A receive that is one kernel with other sends and receives: NCCL stamps the stop when the first threads of that kernel
// are done, which may be long before this one has its data.
constexpr uint8_t kEarlyStop = 64;

}  // namespace lockstep::analysis
