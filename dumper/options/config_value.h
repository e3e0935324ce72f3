// One option's text turned into its value and checked against the table's range. Same rules for the
// environment, the JSON file and the defaults; independent of the locale.
#pragma once

#include <cstdint>
#include <string_view>

#include "lockstep/config.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

struct ParsedValue {
  uint64_t number = 0;  // of a flag, a number, kinds, or a choice (its place in the range)
  double real = 0;      // Number and Real; of Events: of one operation in so many
};

// The error says what was expected, without naming the option.
Result<ParsedValue> parse_value(const OptionRow& row, std::string_view text);

}  // namespace lockstep::dumper
