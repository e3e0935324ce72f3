#include "analysis/logs/log_time.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <string>

#include "base/text.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kSearched = 200;
constexpr int64_t kSecondNs = 1'000'000'000, kDayS = 86'400;
constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Reads from the left; once something does not fit, nothing does any more.
class Scanner {
 public:
  explicit Scanner(std::string_view left) : left_(left) {}

  int digits(size_t count) { return digits(count, count); }
  int digits(size_t least, size_t most) {
    size_t n = 0;
    int value = 0;
    while (n < most && n < left_.size() && is_digit(left_[n]))
      value = value * 10 + (left_[n++] - '0');
    good_ = good_ && n >= least;
    take(n);
    return value;
  }
  void literal(char c) {
    good_ = good_ && next() == c;
    take(1);
  }
  char one_of(std::string_view chars) {
    const char c = next();
    good_ = good_ && c != '\0' && chars.find(c) != std::string_view::npos;
    take(1);
    return c;
  }
  bool skip(char c) {
    if (next() != c) return false;
    take(1);
    return true;
  }
  int month_name() {
    for (size_t i = 0; i < std::size(kMonths); ++i) {
      if (!starts_with(left_, kMonths[i])) continue;
      take(3);
      return static_cast<int>(i) + 1;
    }
    good_ = false;
    return 1;
  }
  void week_day() {
    const auto days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    good_ = good_ && std::any_of(days.begin(), days.end(),
                                 [this](const char* day) { return starts_with(left_, day); });
    take(3);
  }
  // hh:mm:ss, and a fraction of any length after a point or a comma.
  int64_t time_of_day() {
    const int hour = digits(2);
    literal(':');
    const int minute = digits(2);
    literal(':');
    const int second = digits(2);
    good_ = good_ && hour < 24 && minute < 60 && second <= 60;
    return ((hour * 60 + minute) * int64_t{60} + second) * kSecondNs + fraction();
  }
  int64_t fraction() {
    const char mark = next();
    if ((mark != '.' && mark != ',') || left_.size() < 2 || !is_digit(left_[1])) return 0;
    take(1);
    int64_t ns = 0, unit = kSecondNs / 10;
    for (; is_digit(next()); unit /= 10) {
      ns += (next() - '0') * unit;
      take(1);
    }
    return ns;
  }
  // Z, +01, +01:00, +0100; a blank may stand before a sign.
  std::optional<int64_t> zone() {
    if (skip('Z')) return 0;
    Scanner at = *this;
    at.skip(' ');
    const char sign = at.next();
    if (sign != '+' && sign != '-') return std::nullopt;
    at.take(1);
    const int hours = at.digits(2);
    at.skip(':');
    const int minutes = is_digit(at.next()) ? at.digits(2) : 0;
    if (!at.good_ || hours > 14 || minutes > 59) return std::nullopt;
    const int64_t s = hours * 3600 + minutes * 60;
    return sign == '-' ? -s : s;
  }
  char next() const { return left_.empty() ? '\0' : left_.front(); }
  bool good() const { return good_; }

 private:
  void take(size_t n) { left_.remove_prefix(std::min(n, left_.size())); }

  std::string_view left_;
  bool good_ = true;
};

std::optional<LogStamp> checked(const Scanner& scanner, const LogStamp& stamp) {
  const bool fits =
      scanner.good() && stamp.month >= 1 && stamp.month <= 12 && stamp.day >= 1 && stamp.day <= 31;
  return fits ? std::optional<LogStamp>(stamp) : std::nullopt;
}

// 2026-11-22T00:33:15.123456Z, 2026-11-22 00:33:15,123, 2026/11/22 00:33:15
std::optional<LogStamp> iso(std::string_view text) {
  Scanner in(text);
  LogStamp stamp;
  stamp.year = in.digits(4);
  const char between = in.one_of("-/");
  stamp.month = in.digits(2);
  in.literal(between);
  stamp.day = in.digits(2);
  in.one_of("T t");
  stamp.of_day_ns = in.time_of_day();
  stamp.zone_s = in.zone();
  return checked(in, stamp);
}

// I1122 00:33:15.123456
std::optional<LogStamp> glog(std::string_view text) {
  Scanner in(text);
  LogStamp stamp;
  stamp.form = LogForm::Glog;
  in.one_of("IWEF");
  stamp.month = in.digits(2);
  stamp.day = in.digits(2);
  in.literal(' ');
  stamp.of_day_ns = in.time_of_day();
  return checked(in, stamp);
}

// Nov 22 00:33:15
void month_day_time(Scanner* in, LogStamp* stamp) {
  stamp->month = in->month_name();
  in->literal(' ');
  in->skip(' ');
  stamp->day = in->digits(1, 2);
  in->literal(' ');
  stamp->of_day_ns = in->time_of_day();
}

std::optional<LogStamp> syslog(std::string_view text) {
  Scanner in(text);
  LogStamp stamp;
  stamp.form = LogForm::Syslog;
  month_day_time(&in, &stamp);
  return checked(in, stamp);
}

// Sun Nov 22 00:33:15 2026
std::optional<LogStamp> ctime_form(std::string_view text) {
  Scanner in(text);
  LogStamp stamp;
  stamp.form = LogForm::Ctime;
  in.week_day();
  in.literal(' ');
  month_day_time(&in, &stamp);
  in.literal(' ');
  stamp.year = in.digits(4);
  return checked(in, stamp);
}

// 22/Nov/2026:00:33:15 +0000
std::optional<LogStamp> apache(std::string_view text) {
  Scanner in(text);
  LogStamp stamp;
  stamp.form = LogForm::Apache;
  stamp.day = in.digits(2);
  in.literal('/');
  stamp.month = in.month_name();
  in.literal('/');
  stamp.year = in.digits(4);
  in.literal(':');
  stamp.of_day_ns = in.time_of_day();
  stamp.zone_s = in.zone();
  return checked(in, stamp);
}

// 1795307595.123456 or 1795307595123, from 2001 to 2286, at the beginning of the line or of a bracket there.
std::optional<LogStamp> epoch(std::string_view line) {
  if (!line.empty() && line.front() == '[') line.remove_prefix(1);
  size_t count = 0;
  while (count < line.size() && is_digit(line[count])) ++count;
  const bool seconds = count == 10, milliseconds = count == 13;
  if ((!seconds && !milliseconds) || line.front() == '0') return std::nullopt;
  const char after = count < line.size() ? line[count] : ' ';
  if (is_word(after) || after == '-' || after == '/') return std::nullopt;
  const int64_t value = parse_number<int64_t>(line.substr(0, count)).value_or(0);
  LogStamp stamp;
  stamp.form = LogForm::Epoch;
  stamp.year = 1970;
  stamp.zone_s = 0;
  stamp.of_day_ns = seconds ? value * kSecondNs + Scanner(line.substr(count)).fraction()
                            : value * (kSecondNs / 1000);
  return stamp;
}

// Of the proleptic Gregorian calendar, since 1970-01-01 (Howard Hinnant, "days_from_civil").
int64_t days_since_1970(int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
  const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int64_t unix_ns_in(const LogStamp& stamp, int year, int64_t zone_s) {
  const int64_t midnight_s = days_since_1970(year, stamp.month, stamp.day) * kDayS;
  return (midnight_s - stamp.zone_s.value_or(zone_s)) * kSecondNs + stamp.of_day_ns;
}

// As a word of its own.
bool has_word(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end])))
      return true;
  }
  return false;
}

bool has_one_of(std::string_view line, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return has_word(line, word); });
}

}  // namespace

std::optional<LogStamp> find_log_stamp(std::string_view line) {
  if (const auto stamp = epoch(line)) return stamp;
  const size_t searched = std::min(line.size(), kSearched);
  for (size_t at = 0; at < searched; ++at) {
    if (at > 0 && is_word(line[at]) && is_word(line[at - 1])) continue;
    const std::string_view here = line.substr(at);
    for (const auto form : {iso, glog, ctime_form, syslog, apache}) {
      if (const auto stamp = form(here)) return stamp;
    }
  }
  return std::nullopt;
}

int64_t unix_ns(const LogStamp& stamp, int64_t zone_s, int64_t near_ns) {
  if (stamp.form == LogForm::Epoch) return stamp.of_day_ns;
  if (stamp.year != 0) return unix_ns_in(stamp, stamp.year, zone_s);
  // Its year is within one of that of `near_ns`.
  const auto near_year = static_cast<int>(1970 + near_ns / (kSecondNs * 31'556'952));
  int64_t nearest = unix_ns_in(stamp, near_year, zone_s);
  for (const int year : {near_year - 1, near_year + 1}) {
    const int64_t candidate = unix_ns_in(stamp, year, zone_s);
    if (std::llabs(candidate - near_ns) < std::llabs(nearest - near_ns)) nearest = candidate;
  }
  return nearest;
}

LogLevel level_of(std::string_view line) {
  if (has_one_of(line, {"ERROR", "FATAL", "CRITICAL", "Traceback", "Error", "error", "CANCELLED",
                        "OOM", "oom_kill", "Killed", "Segmentation"}))
    return LogLevel::Error;
  if (has_one_of(line, {"WARN", "WARNING", "warning", "Warning"})) return LogLevel::Warning;
  const size_t searched = std::min(line.size(), kSearched);
  for (size_t at = 0; at < searched; ++at) {
    if (at > 0 && is_word(line[at - 1])) continue;
    if (!glog(line.substr(at))) continue;
    const char letter = line[at];
    return letter == 'I' ? LogLevel::Info : letter == 'W' ? LogLevel::Warning : LogLevel::Error;
  }
  return has_one_of(line, {"INFO", "DEBUG", "TRACE"}) ? LogLevel::Info : LogLevel::Unknown;
}

int32_t rank_in_line(std::string_view line) {
  constexpr std::string_view kMark = "[rank";
  const size_t at = line.substr(0, kSearched).find(kMark);
  if (at == std::string_view::npos) return -1;
  const std::string_view from = line.substr(at + kMark.size());
  const size_t end = from.find(']');
  if (end == std::string_view::npos) return -1;
  return parse_number<int32_t>(from.substr(0, end)).value_or(-1);
}

}  // namespace lockstep::analysis
