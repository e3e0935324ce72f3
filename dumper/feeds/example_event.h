// One event as lines of the Example's Chrome trace: pairs of "b" and "e", one pair for each phase
// that NCCL's states divide it into. Collected and written by ExampleTrace.
#pragma once

#include <string>
#include <vector>

#include "dumper/segment/chunk_clock.h"
#include "dumper/segment/chunk_encode.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

// An event with its states, in time order.
struct ExampleEvent {
  uint64_t words[kMaxWords] = {};  // of its start
  struct State {
    unsigned number;
    uint64_t ticks, argument;
  };
  std::vector<State> states;
  uint64_t stop_ticks = 0;
  EventId id() const { return EventRecord::read(words).id; }
  Kind kind() const { return kind_of(id()); }
};

struct ExampleEventContext {
  uint32_t pid = 0;
  uint64_t comm_hash = 0;
  uint64_t zero_raw_ns = 0;  // of the trace
  const ChunkClock* clock = nullptr;
  const StringSource* strings = nullptr;
};

std::vector<std::string> example_lines(const ExampleEvent& event,
                                       const ExampleEventContext& context);

}  // namespace lockstep::dumper
