// A recorded call log: what real NCCL called a profiler plugin with, one line per call
// (test/data/README.md). Read whole, once, on one thread, plain or zstd-compressed. Strings
// in the calls point into the log, which must outlive them. A log that cannot be trusted is refused
// with file and line; nothing is guessed or skipped.
#pragma once

#include <string>
#include <string_view>

#include "lockstep/status.h"
#include "test/drivers/common/log_line.h"

namespace lockstep::driver {

Result<CallLog> read_call_log(const std::string& path);
Result<CallLog> parse_call_log(std::string_view text, const std::string& path);

}  // namespace lockstep::driver
