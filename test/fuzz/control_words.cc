// A line on a process's control socket, which may be anything: a name that goes into notes is plain, and
// what is understood lies within its limits.
#include "plugin/process/control_words.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "plugin/capture/capture_order.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::plugin;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto line = parse_control_line(text);
  if (!line.ok()) return 0;
  for (const char c : line.value().by) check(c >= ' ' && c <= '~' && c != '"');
  check(line.value().word.size() + line.value().rest.size() <= size);
  const std::string& rest = line.value().rest;
  static_cast<void>(parse_kinds(rest));
  const auto interval_us = parse_interval_us(rest);
  check(!interval_us.ok() || (interval_us.value() >= 1000 && interval_us.value() <= 3600000000));
  const auto order = parse_capture_order(rest);
  check(!order.ok() || (order.value().limit_ns > 0 &&
                        order.value().limit_ns <= CaptureOrder::kLongestLimitMs * 1'000'000));
  if (rest.empty() || rest[0] != '+') return 0;
  const auto loan = parse_loan(rest);
  check(!loan.ok() || (loan.value().seconds >= 1 && loan.value().seconds <= 600));
  return 0;
}
