// The second in the prober's unit of time. Everybody in this room counts in it.
#pragma once

#include <cstdint>

namespace lockstep::clocksync {

constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace lockstep::clocksync
