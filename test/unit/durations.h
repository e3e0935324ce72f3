#pragma once

#include <cstdint>

// Durations that tests count in, ns.
namespace lockstep {

constexpr int64_t kUs = 1'000, kMs = 1'000'000, kSecond = 1'000'000'000;

}  // namespace lockstep
