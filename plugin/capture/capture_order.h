// `ID kinds=WORDS by=RULE [limit_ms=N]`: what a capture is to be, from the words on the control socket
// (docs/control.md lists them). A plain function of its argument.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"
#include "plugin/record/capture_watch.h"

namespace lockstep::plugin {

struct CaptureOrder {
  static constexpr int64_t kUsualLimitMs = 60'000, kLongestLimitMs = 600'000;

  std::string id, rule_text;
  uint32_t kinds = 0;
  CaptureRule rule = CaptureRule::None;
  uint64_t comm_id = 0;  // by position: the communicator, as NCCL calls it
  // Calls or steps; CaptureWatch::kUnknown = the next step.
  uint64_t from = 0, count = 0;
  int64_t at_real_ns = 0, lasts_ns = 0;  // by instant
  int64_t limit_ns = kUsualLimitMs * 1'000'000;
};

Result<CaptureOrder> parse_capture_order(const std::string& words);

}  // namespace lockstep::plugin
