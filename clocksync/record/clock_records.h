// A clock record (lockstep/clock_record.h) as one line of JSON, and back. Pure functions, any
// thread; they never throw, and what is wrong with a line comes back as a sentence.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

// One line of the file, without the newline.
std::string to_json(const ClockRecord& record);

// The record in one line. An empty optional: the line is well-formed but of a type this version
// does not know.
Result<std::optional<ClockRecord>> from_json(const char* line, size_t size_bytes);

}  // namespace lockstep::clocksync
