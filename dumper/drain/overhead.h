// What recording itself costs the process, as the keeper and the dump thread measure it
// (plugin/record/overhead_meter.h, dumper/feeds/comm_progress.h) and the outputs show it: totals and
// high-water marks since the recording began, each written by one thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "lockstep/event.h"

namespace lockstep::dumper {

struct Overhead {
  std::atomic<uint64_t> init_ns{0};       // that the first communicator's init spent with us
  std::atomic<uint64_t> elapsed_ns{0};    // CLOCK_MONOTONIC since recording began
  std::atomic<uint64_t> calls{0};         // of NCCL's threads into us
  std::atomic<uint64_t> callbacks_ns{0};  // calls times the sampled cost of one
  std::atomic<uint64_t> threads_ns{0};    // processor time of our own threads
  // Most memory that blocks with records took at once, looked at every 5 ms.
  std::atomic<uint64_t> memory_high_water_bytes{0};
  // By kind, the most bytes of records that one round of the dump thread found waiting in memory.
  std::array<std::atomic<uint64_t>, kKinds + 1> most_waiting_bytes{};
};

}  // namespace lockstep::dumper
