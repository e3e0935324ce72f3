// LOCKSTEP_CAPTURE_EVERY: `60s:2s`, windows of two seconds at each full minute.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep::plugin {

struct CaptureCycle {
  int64_t every_ns = 0, lasts_ns = 0;  // 0: there is none
  std::string text;                    // the rule of its captures: every:60s:2s
};

// "" is none.
Result<CaptureCycle> parse_capture_cycle(const std::string& text);

}  // namespace lockstep::plugin
