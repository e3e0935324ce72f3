// One line of a call log to one LogLine. Used by call_log.cc only; errors carry no position, the
// caller adds it.
#pragma once

#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "lockstep/status.h"
#include "test/drivers/common/log_line.h"

namespace lockstep::driver {

// Decimal or 0x-hexadecimal, into whatever width the value has; false when it does not fit or
// something follows.
template <typename T>
bool parse_number(std::string_view text, T* value) {
  const bool hex = text.substr(0, 2) == "0x";
  if (hex) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value, hex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size();
}

class LineParser {
 public:
  explicit LineParser(CallLog* log) : log_(log) {}
  Result<LogLine> parse(std::string_view line);

 private:
  Status parse_thread(std::string_view* rest, LogLine* line);
  Status parse_call(std::string_view* rest, LogLine* line);
  Status parse_init(std::string_view rest, LogLine* line);
  Status parse_start(std::string_view rest, LogLine* line);
  Status parse_state(std::string_view rest, LogLine* line);
  Status set_argument(std::string_view key, std::string_view value, LogLine* line,
                      abi::v7::EventDescr* event);
  Status set_word(std::string_view word, Kind kind, abi::v7::EventDescr* event);
  const char* keep(std::string_view text);

  CallLog* log_;
  std::map<int32_t, uint32_t> thread_of_tid_;
  std::map<std::string, const char*, std::less<>> kept_;
};

}  // namespace lockstep::driver
