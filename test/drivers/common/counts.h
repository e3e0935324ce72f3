// How many calls of each kind were made: the truth that traces are held against. Plain atomics in
// one flat struct, so that it can live in a shared mapping and survive the SIGKILL of the process
// that counts. A call is counted after it returned: a killed process has made at most one more call
// per thread than its counts say.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "lockstep/event.h"

namespace lockstep::driver {

struct CallCounts {
  // The last: without a handle, so of no known kind.
  std::atomic<uint64_t> calls[kCalls][kKinds + 1];
  std::atomic<uint64_t> inits;
  std::atomic<uint64_t> finalizes;

  void add(Call call, unsigned kind) {
    calls[static_cast<unsigned>(call)][kind].fetch_add(1, std::memory_order_relaxed);
  }
};

// Counts at rest, to be summed and printed.
struct CountSum {
  std::array<std::array<uint64_t, kKinds + 1>, kCalls> calls{};
  uint64_t inits = 0;
  uint64_t finalizes = 0;

  void add(const CallCounts& counts);
  // "communicators":N,"finalizes":N,"starts":{...},"states":{...},"stops":{...}; kinds never called
  // are left out.
  std::string json_members() const;
};

}  // namespace lockstep::driver
