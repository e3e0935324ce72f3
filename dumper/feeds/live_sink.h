// What the live view feeds: one call per operation that is done, one per round. Implemented by the
// Inspector's JSON and by the Prometheus text. Dump thread only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dumper/drain/record_consumer.h"
#include "dumper/feeds/operation.h"
#include "dumper/segment/live_comms.h"

namespace lockstep::dumper {

// A done operation with everything looked up.
struct DoneOperation {
  const Operation* op = nullptr;
  const CommFacts* comm = nullptr;  // never null; of zeros when the communicator is not known
  std::string_view func, datatype, algo, proto;
  uint64_t message_bytes = 0;
  Timing timing;
  uint64_t exec_us = 0;
  Bandwidth bandwidth;
};

// What is under way at a round's end.
struct LiveState {
  const Round* round = nullptr;
  const ChunkClock* clock = nullptr;
  const LiveComms* comms = nullptr;
  std::map<uint32_t, uint64_t> in_flight;  // by communicator
  uint64_t oldest_start_ticks = ~uint64_t{0};
  uint64_t operations_pushed_out = 0;
  double send_wait_ns = 0, receive_wait_ns = 0;  // for their peer, since the process began
  uint64_t series_left_out = 0;
};

class LiveSink {
 public:
  virtual ~LiveSink() = default;
  virtual void done(const DoneOperation& operation, const ChunkClock& clock) = 0;
  virtual void end_round(const LiveState& state) = 0;
};

}  // namespace lockstep::dumper
