// The records of network operations and steps, as one end of an edge sees them: its proxy thread's
// calls in the order that NCCL makes them. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "test/drivers/simulate/host_clock.h"
#include "test/drivers/simulate/thread_records.h"
#include "test/drivers/simulate/transport.h"

namespace lockstep::simulate {

struct EdgeEnd {
  const HostClock* clock = nullptr;
  ThreadRecords* records = nullptr;
  uint64_t* serial = nullptr;  // the next of the proxy thread
  uint32_t comm = 0;           // number in its process
  EventId operation = 0;       // the Coll or P2p
  int32_t rank = 0, peer = 0;  // in the communicator
  uint32_t pid = 0;
  int64_t posted_ns = 0;
  bool with_steps = true;  // else the operation only
  bool queued = false;     // another operation has the connection: it has not begun
};

// `steps` of one edge; `step_bytes` and the records are one channel's, as on the others of `channels`.
void record_sends(const EdgeEnd& end, const StepTimes* steps, uint32_t count, uint64_t step_bytes,
                  const std::vector<unsigned>& channels);
void record_receives(const EdgeEnd& end, const StepTimes* steps, uint32_t count,
                     uint64_t step_bytes, const std::vector<unsigned>& channels);

}  // namespace lockstep::simulate
