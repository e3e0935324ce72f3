// The rows every consumer of a run uses: SQL, exports, report, blame, diagnose. Column names here
// are the column names there (docs/schema.md says the same for people). Plain data, built once by
// load_run() (run.h), then only read.
//
// Times `_ns` are int64 nanoseconds on the run's time axis: the aligned clock when a clock model
// covers the host (ProcessRow::aligned), else the host's own CLOCK_MONOTONIC_RAW, comparable only
// between processes of one host. kNoTime = not known. Durations are int64 ns, kNoTime likewise.
// Sizes are bytes. Ranks are -1 when not known. Text columns are numbers of RunTables::strings. An
// index column says kNoRow when there is no such row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analysis/tables/string_pool.h"
#include "analysis/tables/table_enums.h"
#include "lockstep/event.h"

namespace lockstep::analysis {

constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
constexpr uint32_t kNoRow = ~uint32_t{0};

// Of an operation what tells when it was called, ready and over, and which operations of other ranks it belongs to. A run
// of which only the cells of tiles are wanted has rows of no more: they take a quarter of an OperationRow's memory.
struct BriefOperation {
  // Of the Coll, P2p, CeColl, CollApi or P2pApi event; of the GroupApi when assembled.
  uint64_t event_id = 0;
  uint64_t group_id = 0;           // the GroupApi event it was called in, 0 = not known
  int64_t api_start_ns = kNoTime;  // NCCL was called
  int64_t api_stop_ns = kNoTime;   // that call returned (inside a group: long before the launch)
  int64_t enqueue_ns = kNoTime;    // handed to GPU and proxy
  // First GPU stamp, mapped to the host clock; none when suspect.
  int64_t kernel_start_ns = kNoTime;
  int64_t kernel_stop_ns = kNoTime;  // last GPU stamp, mapped
  // The proxy thread saw the first channel running: an upper bound of its start.
  int64_t kernel_seen_ns = kNoTime;
  int64_t last_progress_ns = kNoTime;  // last thing known of it or of its children
  int64_t finish_ns = kNoTime;         // last kernel or network end; none unless done or incomplete
  uint32_t process = 0;                // row of `processes`
  uint32_t communicator = kNoRow;      // row of `communicators`
  // n-th call of this function on this communicator (per peer for send and receive).
  uint32_t ordinal = 0;
  uint32_t replay = 0;  // n-th graph replay of that call, 0 = called directly
  int32_t rank = -1;
  int32_t peer = -1;  // send, receive: the other rank; rooted collectives: the root
  Text func = 0;
  OpKind kind = OpKind::Collective;
  OpState state = OpState::InFlight;
  uint8_t flags = 0;  // kSuspectGpuTime, ... (table_enums.h)

  // When it was called; what nobody called, or not that anybody knows, when it was enqueued.
  int64_t called_ns() const {
    return replay == 0 && api_start_ns != kNoTime ? api_start_ns : enqueue_ns;
  }
  // When it was over: by its kernel, or where that does not tell by what the host saw of kernel and network.
  int64_t over_ns() const {
    if (kernel_stop_ns == kNoTime) return finish_ns;
    return (flags & kEarlyStop) == 0 ? kernel_stop_ns : std::max(kernel_stop_ns, finish_ns);
  }
};

// `operations`: one operation of one rank, ordered by process, then by the time of the call.
struct OperationRow : BriefOperation {
  uint32_t match = kNoRow;      // row of `matches`: the same operation on the other ranks
  uint32_t assembled = kNoRow;  // row of the assembled operation this send or receive belongs to
  int64_t launch_ns = kNoTime;  // the kernel launch of its group call returned
  // The true instants of its kernel's start and stop lie at most so much earlier or later; unknown without a launch.
  int64_t kernel_early_ns = kNoTime, kernel_late_ns = kNoTime;
  int64_t proxy_start_ns = kNoTime;  // first network operation posted to the proxy thread
  // Time in each state of its network steps, summed over steps (they overlap: compare shares, not
  // sums with elapsed).
  // The proxy waited for the GPU to fill (send) or drain (receive) a buffer.
  int64_t gpu_wait_ns = 0;
  int64_t peer_wait_ns = 0;     // data ready, the peer gave no credit to send
  int64_t network_ns = 0;       // a send was in the network
  int64_t receive_wait_ns = 0;  // a posted receive waited for data: peer or network
  int64_t flush_ns = 0;         // received data made visible to the GPU
  int64_t proxy_lag_ns = 0;     // the proxy thread was late: work posted to it lay untouched
  // Of the network operations that send: when the last was done, how often they wait for the GPU; and
  // when the last of those that receive was done. No columns: for the comparison of paths.
  int64_t sent_ns = kNoTime, received_ns = kNoTime;
  // When the proxy thread saw the network done with their steps, on average over these.
  int64_t sends_seen_ns = kNoTime, receives_seen_ns = kNoTime;
  int64_t send_gpu_wait_ns = 0;  // of gpu_wait_ns
  // Of network_ns: without what sends waited behind others that their process had sent before them.
  int64_t sending_ns = 0;
  uint64_t count = 0;  // elements, as the user passed them when known
  // Message size as nccl-tests counts it (arrivals.h), basis of the bandwidths.
  uint64_t size_bytes = 0;
  uint64_t sent_bytes = 0, received_bytes = 0;  // over network steps
  uint64_t stream = 0;                          // opaque label
  int64_t seq_number = kNoTime;  // NCCL's own number of a collective; kNoTime = it gave none
  uint64_t user_tag = 0;         // what the caller tagged the call with (NCCL 2.31), 0 = nothing
  // The training step in which it was called, as its process marked it or else as its match has it.
  uint32_t step = kNoRow;
  uint32_t position = kNoRow;  // n-th collective of any function on this communicator and rank
  uint32_t tid = 0;            // thread that called
  Text datatype = 0, algo = 0, proto = 0;
  uint32_t proxy_ops = 0, proxy_ops_open = 0, kernels = 0, kernels_open = 0;
  uint32_t steps = 0, step_retries = 0;
  uint32_t send_steps = 0;     // of `steps`
  uint32_t planned_sends = 0;  // steps that its sends were planned with
  // Whom its network operations send to and receive from: -1 = nobody, kSeveralPeers.
  int32_t send_peer = -1, receive_peer = -1;
  uint64_t channels_mask = 0;  // real channel ids seen in children
  uint8_t channels = 0;        // as announced, 0 = unknown
};

// Of an arrival what tells how long a rank waited, in two fifths of an ArrivalRow's memory: of a run with brief operations.
struct BriefArrival {
  uint32_t operation = kNoRow;
  uint32_t process = 0;  // of the operation; no column
  // The row in `arrivals` of the last arriver among comparable ranks.
  uint32_t last_rank_row = kNoRow;
  int32_t rank = -1;
  int64_t arrival_ns = kNoTime;  // this rank was ready
  int64_t wait_ns = kNoTime;     // from there to the last comparable arrival
};

// `arrivals`: one row per operation of one rank that could be matched; the rows of one match are
// neighbours.
struct ArrivalRow : BriefArrival {
  uint32_t match = kNoRow;
  ArrivalBasis basis = ArrivalBasis::ApiCall;
  Cause cause = Cause::None;      // in the row of the last arriver: why the others waited for it
  uint8_t last = 0;               // 1 = this is the last comparable arriver
  int64_t transfer_ns = kNoTime;  // from the last comparable arrival to this rank's finish
  int64_t finish_ns = kNoTime;
  // Of the wait: guaranteed, against the last arriver; 0 when that is on the same host.
  int64_t clock_error_ns = 0;
  double algbw_gbs = 0, busbw_gbs = 0;  // 1e9 bytes/s from transfer_ns, 0 = unknown
};

// `matches`: one operation across its ranks.
struct MatchRow {
  uint32_t communicator = kNoRow;
  uint32_t first_arrival = 0, arrivals = 0;  // rows [first_arrival, + arrivals) of `arrivals`
  // Ranks that take part: arrivals < expected = some are missing or not recorded.
  uint32_t expected = 0;
  uint32_t ordinal = 0, replay = 0;
  Text func = 0;
  int32_t last_rank = -1;         // last comparable arriver
  int64_t spread_ns = kNoTime;    // first to last comparable arrival
  int64_t start_ns = kNoTime;     // first arrival
  int64_t finish_ns = kNoTime;    // last finish
  int64_t transfer_ns = kNoTime;  // last arrival to last finish
  uint64_t size_bytes = 0;
  // The training step: by marks where the run has any, else the n-th found by periodicity (steps.h).
  uint32_t step = kNoRow;
  Cause cause = Cause::None;
  // 1 = all arrivals are on one clock; 0 = waits hold inside each host only.
  uint8_t comparable = 0;
};

}  // namespace lockstep::analysis
