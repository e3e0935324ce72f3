// Every stamp of one operation: the calls that NCCL made about it, as they are in the file, and how each
// became a time that hosts share. Reads the process's records of that time once more, because tables
// keep only what they need. Offline, one thread; `run` is what load_run() gave for `directory`.
//
// Chain of a stamp: ticks of the host's counter -> the host's CLOCK_MONOTONIC_RAW, on the line between
// two anchors of its chunk -> the reference host's, minus the offset of the clock model at that time.
// A GPU's stamp goes to its host's clock by inequalities (analysis/join/gpu_times.h); of one operation
// its first and last are converted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

struct OperationStamp {
  std::string what;  // kind, which of its kind, and call or state
  uint64_t event_id = 0;
  uint32_t tid = 0;
  std::string thread;        // its name
  bool of_gpu = false;       // stored: ns of the GPU's clock; else ticks of the host's counter
  uint64_t stored = 0;       // as it is in the file
  int64_t raw_ns = kNoTime;  // CLOCK_MONOTONIC_RAW of its host; none where a GPU's is not converted
  // On the run's clock. The truth is at most so much before or after it: guaranteed for the hosts'
  // offset and for GPUs. None of both: not converted, or nothing guaranteed.
  int64_t run_ns = kNoTime, early_ns = kNoTime, late_ns = kNoTime;
  std::string column;  // of `operations` and `arrivals` that hold this very time
};

// From ticks to ns, where the operation was.
struct TickStretch {
  uint64_t from_ticks = 0, to_ticks = 0;  // its anchors
  int64_t from_raw_ns = 0, to_raw_ns = 0;
  // How far an anchor at its ends is off the line between its neighbors: measured, not guaranteed;
  // none where there are too few anchors.
  std::optional<int64_t> error_ns;
};

struct OperationExplained {
  std::string name;
  std::string state, host,
      reference;  // reference: whose clock the run's is; its own when not aligned
  const OperationRow* row = nullptr;   // of the run
  std::vector<OperationStamp> stamps;  // in the order of the calls
  std::vector<TickStretch> stretches;  // in the order of time
  // The offset of the host's clock at the operation, clock of the host minus the reference's.
  int64_t offset_ns = 0, offset_lo_ns = 0, offset_hi_ns = 0;
  std::string source;  // of the offset: probes, collectives, same-host; empty: not aligned
  std::vector<std::string> notes;
};

// The error says that the process's segments cannot be read any more.
Result<OperationExplained> explain_operation(const std::string& directory, const RunTables& run,
                                             uint32_t operation);

}  // namespace lockstep::analysis
