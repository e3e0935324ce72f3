// What the join of one process's records gives: its communicators, its operations, and the network
// operations that serve another process. Plain data.
#pragma once

#include <array>
#include <vector>

#include "analysis/join/step_times.h"
#include "analysis/tables/tables_process.h"

namespace lockstep::analysis {

// A communicator as one process knew it.
struct JoinedComm {
  uint32_t number = 0;
  uint64_t comm_id = 0;
  Text name = 0;
  int32_t rank = -1, nranks = 0, nnodes = 0;
  int64_t init_ns = kNoTime, init_real_ns = kNoTime, finalize_ns = kNoTime;
  Text gpu = 0;  // as in MemberRow
};

struct KernelSpan {
  uint64_t parent = 0, gpu_start = 0, gpu_stop = 0;
  int64_t seen_ns = kNoTime, stop_ns = kNoTime;
  uint8_t channel = 0;
};

// One phase of a kernel on symmetric memory, on one channel.
struct PhaseSpan {
  uint64_t gpu_start = 0, gpu_stop = 0;
  uint8_t channel = 0, phase = 0;  // 0 initial_sync, 1 compute, 2 final_sync
};

// One network operation of a proxy thread, its steps summed.
struct ProxyWork {
  uint64_t parent = 0;
  int64_t start_ns = kNoTime, stop_ns = kNoTime, last_ns = kNoTime;
  Stretches spent{};
  int64_t sending_ns = 0;  // as in OperationRow
  // Of the steps that the proxy thread saw the network done with: how many, and how long after start_ns it did, summed.
  uint32_t seen_steps = 0;
  int64_t seen_after_ns = 0;
  uint64_t bytes = 0;
  int32_t rank = -1, peer = -1;
  uint32_t pid = 0, planned = 0, steps = 0, retries = 0;
  uint8_t channel = 0;
  bool is_send = false, stepped = false;
  std::array<uint32_t, 8> slots{};  // open steps by step % 8, as numbers + 1

  // When it did, on average.
  int64_t seen_ns() const {
    return seen_steps == 0 ? kNoTime : start_ns + seen_after_ns / seen_steps;
  }
};

// A row of an operation of which only a brief one will be left: what it takes to make that. Names are those of OperationRow,
// which is more than twice as large.
struct BriefRow : BriefOperation {
  uint64_t stream = 0;
  uint32_t proxy_ops = 0, proxy_ops_open = 0, kernels = 0, kernels_open = 0;
  uint8_t channels = 0;
};

struct ProcessOperations {
  std::vector<JoinedComm> comms;
  // communicator = its number in the process, until the run gives it another.
  std::vector<OperationRow> rows;
  std::vector<BriefOperation> brief;  // in their place where no more is wanted
  std::vector<ProxyWork> foreign;     // network operations of other processes (PXN)
  std::vector<OpenTransportRow> open;
  std::vector<ChannelRow> channels;         // communicator: as in rows
  std::vector<ChannelEndRow> channel_ends;  // in any order
  std::vector<MarkedStepRow> steps;         // what the program marked, by time
  std::vector<RangeRow> ranges;             // in any order
  int64_t first_ns = kNoTime, last_ns = kNoTime;
  uint64_t records = 0, orphans = 0;  // orphans: children whose operation is not in the recording
  // Of the orphans: the process's own whose operation may have begun before what was read of a span.
  uint64_t cut_off = 0;
};

}  // namespace lockstep::analysis
