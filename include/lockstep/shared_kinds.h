// Kinds inside an operation that may be recorded of one operation in so many only (LOCKSTEP_EVENTS=step:1/16).
#pragma once

#include <cstdint>

#include "lockstep/event.h"

namespace lockstep {

constexpr uint32_t kSharedKinds = 1u << static_cast<unsigned>(Kind::ProxyStep) |
                                  1u << static_cast<unsigned>(Kind::NetPlugin) |
                                  1u << static_cast<unsigned>(Kind::KernelPhase);
// In the text of the option, before the number.
constexpr const char* kShareText = ":1/";

}  // namespace lockstep
