// The reader of recorded call logs, plain or compressed. A log it accepts has every index in range.
#include "test/drivers/common/call_log.h"

#include "test/drivers/common/log_file.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::InputFile file;
  constexpr size_t kLongestText = 1 << 20;
  const auto text = driver::read_text_file(file.holding(data, size), kLongestText);
  if (!text.ok()) return 0;
  const auto log = driver::parse_call_log(text.value(), "input");
  if (!log.ok()) return 0;
  for (const driver::LogLine& line : log.value().lines) {
    const bool start = line.call == driver::LoggedCall::Start;
    const bool init = line.call == driver::LoggedCall::Init;
    const bool in_range = line.thread < log.value().threads.size() &&
                          (!start || line.detail < log.value().events.size()) &&
                          (!init || line.detail < log.value().comms.size()) &&
                          line.event <= log.value().max_event &&
                          line.context <= log.value().max_context;
    if (!in_range) __builtin_trap();
  }
  return 0;
}
