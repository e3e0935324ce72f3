// What recording itself costs the process, as the keeper measures it (plugin/record/overhead_meter.h) and
// the outputs show it: totals since the recording began, each written by one thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::dumper {

struct Overhead {
  std::atomic<uint64_t> elapsed_ns{0};    // CLOCK_MONOTONIC since recording began
  std::atomic<uint64_t> calls{0};         // of NCCL's threads into us
  std::atomic<uint64_t> callbacks_ns{0};  // calls times the sampled cost of one
  std::atomic<uint64_t> threads_ns{0};    // processor time of our own threads
};

}  // namespace lockstep::dumper
