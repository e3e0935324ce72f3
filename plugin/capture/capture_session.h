// One capture of a process: what was ordered, and what became of it. Filled by Captures, told by
// capture_answers.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/capture/capture_order.h"

namespace lockstep::plugin {

struct CaptureCosts {
  uint64_t bytes = 0, records = 0, calls_not_recorded = 0, overhead_ns = 0;
};

struct CaptureSession {
  CaptureOrder order;
  std::string by;
  CapturePhase phase = CapturePhase::None;  // as of the last look
  bool settled = true;                      // nothing of it is in force any more
  bool start_told = false;
  bool cut_short = false;  // stopped by its limit or by word
  uint64_t calls_before = 0;
  uint32_t kinds_before = 0, kinds_after = 0;
  int64_t limit_mono_ns = 0, start_mono_ns = 0, stop_mono_ns = 0;  // the latter two: by instant
  int64_t start_raw_ns = 0, stop_raw_ns = 0;
  uint64_t first_step = CaptureWatch::kUnknown, position = CaptureWatch::kUnknown;
  std::optional<int64_t> bound_ns;
  CaptureCosts at_start, at_stop;
};

}  // namespace lockstep::plugin
