#include "analysis/logs/read_logs.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "analysis/logs/log_time.h"
#include "base/text.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr size_t kMostText = 300;  // bytes of a line
// Zones are whole half hours from -12:00 to +14:00.
constexpr int64_t kZoneStepS = 1800, kFirstZoneS = int64_t{-12} * 3600;
constexpr size_t kZones = 53;

std::string lines_text(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " line" : " lines");
}

std::string zone_text(int64_t zone_s) {
  char text[16];
  const int64_t size = zone_s < 0 ? -zone_s : zone_s;
  std::snprintf(text, sizeof(text), "UTC%c%02d:%02d", zone_s < 0 ? '-' : '+',
                static_cast<int>(size / 3600), static_cast<int>(size / 60 % 60));
  return text;
}

int64_t zone_of_this_machine(int64_t unix_ns) {
  const std::time_t seconds = unix_ns / kSecondNs;
  std::tm local{};
  localtime_r(&seconds, &local);
  return local.tm_gmtoff;
}

// What JSON and HTML take: ASCII and whole UTF-8 characters; of others, and of control characters, a question mark.
std::string clean(std::string_view line) {
  std::string out;
  for (size_t at = 0; at < line.size() && out.size() < kMostText;) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const size_t length = byte < 0x80                   ? 1
                          : byte >= 0xf0 && byte < 0xf5 ? 4
                          : byte >= 0xe0                ? 3
                          : byte >= 0xc2                ? 2
                                                        : 0;
    bool whole = length != 0 && byte < 0xf5 && at + length <= line.size();
    for (size_t i = 1; i < length && whole; ++i)
      whole = (static_cast<unsigned char>(line[at + i]) & 0xc0) == 0x80;
    const bool shown = whole && (byte >= 0x20 || byte == '\t');
    out += shown ? std::string(line.substr(at, length)) : byte == '\t' ? "\t" : "?";
    at += whole ? length : 1;
  }
  return out;
}

class LogReader {
 public:
  LogReader(const LogOptions& options, RunTables* run) : options_(options), run_(*run) {
    const ProcessRow& first = run_.processes.front();
    axis_minus_unix_ns_ = first.raw_offset_ns - first.real_offset_ns;
    for (const ProcessRow& process : run_.processes) {
      if (process.first_ns == kNoTime) continue;
      from_ns_ = from_ns_ == kNoTime ? process.first_ns : std::min(from_ns_, process.first_ns);
      to_ns_ = std::max(to_ns_, process.last_ns);
    }
    near_unix_ns_ = from_ns_ - axis_minus_unix_ns_;
    zone_s_ = options.zone_s ? *options.zone_s : zone_of_this_machine(near_unix_ns_);
  }

  Status read() {
    if (from_ns_ == kNoTime) return {};
    for (const std::string& pattern : options_.patterns) {
      glob_t found{};
      const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
      std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
      ::globfree(&found);
      if (code != 0)
        return Status::error(
            "--logs " + pattern +
            ": no file of this name; quote a pattern, so that the shell leaves it alone");
      for (const std::string& path : paths) {
        Status status = read_file(path);
        if (status.ok()) continue;
        if (!options_.skip_unreadable) return status;
        run_.log_notes.push_back(status.message() + ".");
      }
    }
    finish();
    return {};
  }

 private:
  Status read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Status::error(path + ": cannot read it: " + std::strerror(errno));
    ++files_;
    const Text name = run_.strings.intern(path);
    uint64_t number = 0, of_run = 0, stamped = 0;
    std::array<uint64_t, kZones> in_zone{};
    for (std::string line; std::getline(file, line);) {
      ++number;
      const auto stamp = find_log_stamp(line);
      if (!stamp) {
        ++unstamped_;
        continue;
      }
      ++stamped;
      const int64_t unix = unix_ns(*stamp, zone_s_, near_unix_ns_);
      if (!stamp->zone_s) {
        ++without_zone_;
        for (size_t i = 0; i < kZones; ++i)
          in_zone[i] += is_inside(unix + (zone_s_ - zone_at(i)) * kSecondNs) ? 1 : 0;
      }
      if (!is_inside(unix)) {
        ++outside_;
        continue;
      }
      ++of_run;
      keep({unix + axis_minus_unix_ns_, number, name, rank_in_line(line), level_of(line), 0}, line);
    }
    if (file.bad()) return Status::error(path + ": reading failed: " + std::strerror(errno));
    if (stamped != 0 && of_run == 0) say_other_zone(path, stamped, in_zone);
    return {};
  }
  bool is_inside(int64_t unix) const {
    const int64_t at_ns = unix + axis_minus_unix_ns_;
    return at_ns >= from_ns_ - options_.margin_ns && at_ns <= to_ns_ + options_.margin_ns;
  }
  static int64_t zone_at(size_t index) {
    return kFirstZoneS + static_cast<int64_t>(index) * kZoneStepS;
  }
  void say_other_zone(const std::string& path, uint64_t stamped,
                      const std::array<uint64_t, kZones>& in_zone) {
    const auto best = std::max_element(in_zone.begin(), in_zone.end());
    std::string note =
        path + ": none of its " + lines_text(stamped) + " with a time lies in the run";
    if (*best != 0)
      note += "; with --logs-zone " +
              zone_text(zone_at(static_cast<size_t>(best - in_zone.begin()))).substr(3) + " " +
              std::to_string(*best) + " would";
    run_.log_notes.push_back(note + ".");
  }

  void keep(LogRow row, const std::string& line) {
    if (run_.log_lines.size() >= options_.most_lines) {
      // The first of the unimportant ones makes room, if there is one.
      if (row.level < LogLevel::Warning || !drop_one()) {
        ++dropped_;
        return;
      }
      ++dropped_;
    }
    row.text = run_.strings.intern(clean(line));
    run_.log_lines.push_back(row);
  }
  bool drop_one() {
    while (next_drop_ < run_.log_lines.size() &&
           run_.log_lines[next_drop_].level >= LogLevel::Warning)
      ++next_drop_;
    if (next_drop_ == run_.log_lines.size()) return false;
    run_.log_lines[next_drop_++].file = 0;  // taken out at the end
    return true;
  }

  void finish() {
    auto& lines = run_.log_lines;
    lines.erase(
        std::remove_if(lines.begin(), lines.end(), [](const LogRow& row) { return row.file == 0; }),
        lines.end());
    std::stable_sort(lines.begin(), lines.end(),
                     [](const LogRow& a, const LogRow& b) { return a.at_ns < b.at_ns; });
    std::string note = std::to_string(files_) + (files_ == 1 ? " file, " : " files, ") +
                       lines_text(lines.size()) + " in the time of the run";
    if (outside_ != 0) note += ", " + std::to_string(outside_) + " at other times";
    if (unstamped_ != 0) note += ", " + std::to_string(unstamped_) + " without a time";
    if (dropped_ != 0)
      note += ", " + std::to_string(dropped_) + " left out, errors and warnings last";
    note += ".";
    if (without_zone_ != 0)
      note += " Times without a zone are taken for " + zone_text(zone_s_) +
              (options_.zone_s ? "." : ", this machine's (--logs-zone says otherwise).");
    run_.log_notes.insert(run_.log_notes.begin(), note);
  }

  const LogOptions& options_;
  RunTables& run_;
  int64_t axis_minus_unix_ns_ = 0, from_ns_ = kNoTime, to_ns_ = kNoTime, near_unix_ns_ = 0;
  int64_t zone_s_ = 0;
  uint64_t files_ = 0, outside_ = 0, unstamped_ = 0, without_zone_ = 0, dropped_ = 0;
  size_t next_drop_ = 0;
};

}  // namespace

Status read_logs(const LogOptions& options, RunTables* run) {
  if (options.patterns.empty() || run->processes.empty()) return {};
  return LogReader(options, run).read();
}

std::string logs_folder(const std::string& run_directory) { return run_directory + "/logs"; }

std::vector<std::string> own_logs(const std::string& run_directory) {
  std::vector<std::string> patterns;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(logs_folder(run_directory), error)) {
    if (!entry.is_regular_file(error)) continue;
    std::string& pattern = patterns.emplace_back();
    for (const char c : entry.path().string()) {
      if (std::strchr("*?[\\", c) != nullptr) pattern += '\\';  // a character of the name
      pattern += c;
    }
  }
  std::sort(patterns.begin(), patterns.end());
  return patterns;
}

void add_own_logs(const std::string& run_directory, int64_t margin_ns, RunTables* run) {
  LogOptions options;
  options.patterns = own_logs(run_directory);
  options.margin_ns = margin_ns;
  options.skip_unreadable = true;
  const Status read = read_logs(options, run);
  if (!read.ok()) run->log_notes.push_back(read.message() + ".");
}

std::optional<int64_t> zone_of(const std::string& text) {
  if (text == "UTC" || text == "Z") return 0;
  // As behind a time.
  const auto stamp = find_log_stamp("2000-01-01T00:00:00" + text);
  const bool signed_hours = text.size() >= 3 && (text[0] == '+' || text[0] == '-');
  return signed_hours && stamp ? stamp->zone_s : std::nullopt;
}

}  // namespace lockstep::analysis
