// The time stamp of a line of a job's log, in the forms that programs on clusters write: ISO 8601 and Python's logging,
// glog and PyTorch ("I1122 00:33:15.123456", also behind "[rank3]:"), syslog, ctime, Apache, and seconds or milliseconds since
// 1970 at the line's beginning. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/tables/table_enums.h"

namespace lockstep::analysis {

enum class LogForm : uint8_t { Iso, Glog, Syslog, Ctime, Apache, Epoch };
constexpr const char* kLogFormNames[] = {"ISO 8601", "glog",   "syslog",
                                         "ctime",    "Apache", "seconds since 1970"};

struct LogStamp {
  LogForm form = LogForm::Iso;
  int year = 0;  // 0: the line has none
  int month = 1, day = 1;
  int64_t of_day_ns = 0;          // since midnight in its zone, or since 1970 (Epoch)
  std::optional<int64_t> zone_s;  // east of Greenwich, where the line says so; Epoch has 0
};

// The first one in the first 200 characters of the line.
std::optional<LogStamp> find_log_stamp(std::string_view line);

// As nanoseconds since 1970. A stamp without a zone is taken for `zone_s`, one without a year for the year that
// brings it nearest to `near_ns`.
int64_t unix_ns(const LogStamp& stamp, int64_t zone_s, int64_t near_ns);

// What the line says of itself: words such as WARN or ERROR in capitals, glog's letter, "error:".
LogLevel level_of(std::string_view line);

// "[rank3]:" as PyTorch begins the lines of a rank; -1: none.
int32_t rank_in_line(std::string_view line);

}  // namespace lockstep::analysis
