// One event as lines of the Example's Chrome trace: pairs of "b" and "e", one pair for each phase
// that NCCL's states divide it into. Made by ExampleTrace.
#pragma once

#include <string>
#include <vector>

#include "dumper/feeds/example_trace.h"

namespace lockstep::dumper {

struct ExampleEventContext {
  uint32_t pid = 0;
  uint64_t comm_hash = 0;
  uint64_t zero_raw_ns = 0;  // of the trace
  const ChunkClock* clock = nullptr;
  const StringSource* strings = nullptr;
};

std::vector<std::string> example_lines(const ExampleTrace::Event& event,
                                       const ExampleEventContext& context);

}  // namespace lockstep::dumper
