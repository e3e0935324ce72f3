// What a process holds of the system, read from /proc/self. Used by the churn driver between its
// calls.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::driver {

struct Footprint {
  uint64_t memory_kb = 0;  // resident: own pages, and those of mapped files such as the arena
  uint64_t handles = 0, threads = 0, mappings = 0;

  std::string json() const;
};
Footprint footprint_now();

// At rest: once memory has not changed for longer than the plugin waits before it gives buffers
// back (3 s, more on a busy machine), at the latest after two minutes. Handles: those that stay open.
Footprint footprint_at_rest();
// As soon as memory is not above `memory_kb`, at the latest after two minutes. Handles as above.
Footprint footprint_down_to(uint64_t memory_kb);

}  // namespace lockstep::driver
