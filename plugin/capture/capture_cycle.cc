#include "plugin/capture/capture_cycle.h"

#include <optional>

#include "base/text.h"

namespace lockstep::plugin {
namespace {

constexpr int64_t kMs = 1'000'000, kSecondNs = 1'000'000'000;
constexpr int64_t kLongestPeriodNs = 86400 * kSecondNs, kShortestWindowNs = 10 * kMs;

// "60s", "500ms"; 0 for anything else.
int64_t cycle_time_ns(const std::string& text) {
  const bool ms = has_ending(text, "ms");
  if (!ms && !has_ending(text, "s")) return 0;
  const auto number = parse_number<int64_t>(text.substr(0, text.size() - (ms ? 2 : 1)));
  if (!number || *number < 0 || *number > kLongestPeriodNs / kMs) return 0;
  return *number * (ms ? kMs : kSecondNs);
}

}  // namespace

Result<CaptureCycle> parse_capture_cycle(const std::string& text) {
  CaptureCycle cycle;
  if (text.empty()) return cycle;
  const size_t colon = text.find(':');
  cycle.text = "every:" + text;
  cycle.every_ns = cycle_time_ns(text.substr(0, colon));
  cycle.lasts_ns = colon == std::string::npos ? 0 : cycle_time_ns(text.substr(colon + 1));
  if (cycle.every_ns < kSecondNs || cycle.every_ns > kLongestPeriodNs ||
      cycle.lasts_ns < kShortestWindowNs || cycle.lasts_ns >= cycle.every_ns)
    return Status::error(
        "LOCKSTEP_CAPTURE_EVERY=" + text +
        " is no PERIOD:WINDOW such as 60s:2s or 10s:500ms, the period 1 s to a day, the "
        "window 10 ms or more and shorter than it; no windows are captured");
  return cycle;
}

}  // namespace lockstep::plugin
