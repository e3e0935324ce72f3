// Whether a thread runs while others look at it, by what /proc/PID/task/TID/status says before and after. Any
// thread; the parser is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::live {

// How often the thread has been taken off a processor, while it is off it: asleep, stopped or ended. Nothing
// for one that runs or waits for a processor. The same number twice means that it did not run in between.
std::optional<uint64_t> switches_at_rest(std::string_view status);

// Of that thread; nothing for one that is gone.
std::optional<uint64_t> switches_at_rest(uint32_t pid, uint32_t thread);

}  // namespace lockstep::live
