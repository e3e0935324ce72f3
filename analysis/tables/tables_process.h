// The small tables: who recorded (processes), which communicators and members there were, what is
// known of the clocks, and what was not recorded (ledger); and the two large ones that are
// streamed, never held (events, proxy_steps). See tables.h for units, kNoTime, kNoRow and texts.
#pragma once

#include <array>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// `processes`: one process that loaded the plugin.
struct ProcessRow {
  uint64_t uid = 0;  // of the process, in every segment of it
  Text host = 0, boot_id = 0, job = 0, nccl_api = 0, library = 0;
  Text nccl_library = 0;      // who loaded lockstep: nccl or rccl
  uint32_t nccl_version = 0;  // 23102 is 2.31.2; 0 = not known
  Text driver_version = 0;    // of the GPUs' kernel driver
  uint64_t kinds = 0;         // of events, a bit each: recorded at its start
  uint32_t pid = 0;
  int32_t rank = -1;  // in its largest communicator, the first of several
  int64_t first_ns = kNoTime, last_ns = kNoTime;  // first and last record
  int64_t heard_ns = kNoTime;  // the last sign of life in its files, at or after last_ns
  int64_t real_offset_ns = 0;  // CLOCK_REALTIME minus the host's raw clock at heard_ns
  // The run's time axis minus the host's raw clock at first_ns, 0 when not aligned.
  int64_t raw_offset_ns = 0;
  // Half width of the guaranteed interval of the alignment, 0 when not aligned.
  int64_t clock_error_ns = 0;
  uint64_t records = 0, stored_bytes = 0,
           lost = 0;  // lost: calls counted but not recorded, filtered ones excluded
  uint32_t segments = 0, damaged_chunks = 0;
  uint8_t aligned = 0;  // 1 = times of its rows are on the run's common clock
  Life life = Life::Unknown;
  // How long the plugin kept its first communicator's init, 0 = not known; no column.
  int64_t plugin_init_ns = 0;
  uint8_t recovered = 0;  // 1 = its last records were saved after its end
  // What of it was asked for, by the host's raw clock, and what was read to understand that; no columns.
  uint64_t asked_from_raw_ns = 0, asked_to_raw_ns = ~uint64_t{0};
  uint64_t read_from_raw_ns = 0, read_to_raw_ns = ~uint64_t{0};
  uint8_t some_comms = 0;  // 1 = of its communicators only those in the tables were asked for
};

// Processes with the same key share a clock: the aligned ones all, the others per host.
inline uint64_t clock_key(const ProcessRow& process) {
  return process.aligned != 0 ? ~uint64_t{0} : process.host;
}

// `communicators`: one communicator across its ranks. Identity: comm_id, member_digest and
// incarnation together.
struct CommunicatorRow {
  uint64_t comm_id = 0;        // NCCL's hash: not unique (every shrink of one parent has the same)
  uint64_t member_digest = 0;  // of the (rank, process) pairs that were recorded
  uint32_t incarnation = 0;    // n-th communicator with this comm_id and size in the run
  Text name = 0;
  int32_t nranks = 0, nnodes = 0;
  uint32_t first_member = 0,
           members = 0;     // rows of `members`; members < nranks = some ranks were not recorded
  uint8_t shares_name = 0;  // 1 = another communicator of the run, of another id, has its name
  CommRole role = CommRole::Unknown;  // a guess (analysis/relate/roles.h)
  Text role_reason = 0;               // what it rests on
  // The communicator that it was split from, by which split of it and with which color; kNoRow: not known
  // (analysis/relate/split_tree.h).
  uint32_t parent = kNoRow, split_number = kNoRow, split_color = kNoRow;
};

// `members`: one rank of one communicator.
struct MemberRow {
  uint32_t communicator = kNoRow, process = kNoRow;
  uint32_t number = 0;  // of the communicator within its process, as in event ids
  int32_t rank = -1;
  int64_t init_ns = kNoTime, finalize_ns = kNoTime;
  Text gpu = 0;  // its GPU's UUID, where the GPU's clock was read
};

// An option in force in a process, or the digest of all; no table of SQL.
struct SettingRow {
  uint32_t process = kNoRow;
  Text option = 0, value = 0;
};

// `clock`: the alignment of one host at one instant.
struct ClockRow {
  Text host = 0;
  int64_t at_ns = 0;      // raw clock of that host
  int64_t offset_ns = 0;  // The run's time axis minus the host's raw clock
  int64_t error_ns = 0;   // guaranteed half width against the reference host
  Text source = 0;        // how it was found: probes, collectives, ...
};

// `ledger`: calls of one kind on one communicator of one process.
struct LedgerRow {
  uint32_t process = kNoRow, communicator = kNoRow;
  uint32_t number = 0;         // of the communicator within its process, 0 = unknown context
  uint8_t kind = 0, call = 0;  // kKindNames, kCallNames (event.h)
  uint64_t kept = 0;           // records in the files
  std::array<uint64_t, kLosses> lost{};  // by Loss (event.h)
};

// `rank_steps`: a step of the training loop as its program marked it (lockstep/mark.h).
struct MarkedStepRow {
  uint64_t step = 0;  // as the program numbers them
  // kNoTime: begun before the recording, or not ended in it. A step without a mark of its end ends
  // where the process's next one begins.
  int64_t start_ns = kNoTime, finish_ns = kNoTime;
  uint32_t process = 0, tid = 0;  // of the mark of its beginning
};

// `captures`: a capture of one rank (lockstep capture).
struct CaptureRow {
  Text capture = 0, name = 0, asked_by = 0, rule = 0, state = 0, host = 0;
  uint32_t process = kNoRow;  // kNoRow: it has no records here
  uint32_t pid = 0;
  int32_t rank = -1;           // in the largest communicator of all
  int64_t position = kNoTime;  // the collective of that communicator, or the step, it began with
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
};

// `ranges`: a range that the program named, with lockstep's functions or NVTX's.
enum class RangeKind : uint8_t { Pushed, Started, Moment, CaptureStart, CaptureStop };
constexpr const char* kRangeKindNames[] = {"pushed", "started", "text", "capture_start",
                                           "capture_stop"};
struct RangeRow {
  int64_t start_ns = kNoTime, finish_ns = kNoTime;  // as in MarkedStepRow; the same for a mark
  uint32_t process = 0, tid = 0;                    // tid: where it began
  Text text = 0, domain = 0;
  uint32_t category = 0;
  uint32_t depth = 0;  // pushed ranges of the thread and domain that were open when it began
  RangeKind kind = RangeKind::Pushed;
};

// `channels`: what one rank moved on one channel of one communicator, summed over its operations.
struct ChannelRow {
  uint32_t process = 0, communicator = kNoRow;
  int32_t rank = -1;
  uint8_t channel = 0;
  uint64_t proxy_ops = 0, steps = 0, kernels = 0;
  uint64_t sent_bytes = 0, received_bytes = 0;
  int64_t gpu_wait_ns = 0, peer_wait_ns = 0, network_ns = 0, receive_wait_ns = 0, flush_ns = 0;
  // Of kernels on symmetric memory, by the GPU's clock: how many phases were stamped, and the time in each.
  uint64_t phases = 0;
  int64_t initial_sync_ns = 0, compute_ns = 0, final_sync_ns = 0;
};

// `log_lines`: a line of a job's log whose time lies in the run (analysis/logs/read_logs.h).
struct LogRow {
  int64_t at_ns = 0;  // by the wall clock of the first process's host
  uint64_t line = 0;  // from 1
  Text file = 0;
  int32_t rank = -1;  // that the line names
  LogLevel level = LogLevel::Unknown;
  Text text = 0;
};

// A second, or about that, in which a host was short of something; no table of SQL (`host_load` is).
struct HostPressureRow {
  int64_t start_ns = kNoTime, finish_ns = kNoTime;
  Text host = 0, of = 0;
  double share = 0;  // of that time somebody waited for it
};

// `open_transports`: a network operation that had not stopped when the recording ended.
struct OpenTransportRow {
  uint32_t operation = kNoRow, process = 0;
  int32_t rank = -1, peer = -1;
  uint32_t steps_planned = 0, steps_done = 0, steps_open = 0;
  int64_t since_ns = kNoTime;  // its last state change
  uint8_t channel = 0, is_send = 0;
  uint8_t last_state = 255;  // of its oldest open step (kStateNames), 255 = none
};

// A network operation of a collective that has several channels: when it was done, and what its steps took. No table of SQL:
// for the comparison of paths, where channels may take different ways. There are several to each operation: so 32 bytes.
struct ChannelEndRow {
  int64_t done_ns = kNoTime;
  int64_t seen_ns = kNoTime;  // as in OperationRow
  uint32_t operation = kNoRow;
  uint32_t peer : 24, channel : 7, is_send : 1;
  uint32_t steps = 0;
  uint32_t work_ns = 0;  // network_ns of these, or of what receives their flush_ns; at most 4.2 s
};

// `events` (streamed): one NCCL event, its start joined with its stop.
struct EventRow {
  uint64_t event_id = 0, parent_id = 0;
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
  uint32_t process = 0, communicator = kNoRow, tid = 0;
  int32_t rank = -1, peer = -1;
  uint32_t states = 0;  // state records it got
  uint8_t kind = 0;     // kKindNames
  uint8_t channel = 0;  // KernelCh, ProxyOp, KernelPhase
  uint8_t is_send = 0;  // ProxyOp; no column: rows of proxy_steps have it
  Text name = 0;        // function, thread name or phase, whichever the kind has
  // KernelCh, KernelPhase: from start to stop by the GPU's own stamps.
  int64_t gpu_ns = kNoTime;
};

// `proxy_steps` (streamed): one network step, its states joined. Durations are kNoTime when a state
// is missing.
struct ProxyStepRow {
  uint64_t event_id = 0, proxy_op_id = 0, operation_id = 0;  // event ids; 0 = not known
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
  int64_t gpu_wait_ns = kNoTime, peer_wait_ns = kNoTime,
          network_ns = kNoTime;                           // send: in this order
  int64_t receive_wait_ns = kNoTime, flush_ns = kNoTime;  // receive: these, then gpu_wait_ns
  uint64_t size_bytes = 0;
  uint32_t process = 0, communicator = kNoRow;
  int32_t rank = -1, peer = -1, step = 0;
  uint32_t retries = 0;  // repeated starts and SendPeerWait
  uint8_t channel = 0, is_send = 0;
  uint8_t last_state = 0;  // number of the last state seen (kStateNames), 255 = none
};

}  // namespace lockstep::analysis
