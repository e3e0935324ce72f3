#include "test/drivers/common/call_log.h"

#include <algorithm>
#include <cstdio>

#include "test/drivers/common/line_parser.h"
#include "test/drivers/common/log_file.h"

namespace lockstep::driver {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxLineBytes = 4096;
constexpr uint32_t kMaxContexts = 1 << 16;

// "=== recorded calls, rank 0, pid 303, 134 calls in all, ..., time zero at CLOCK_MONOTONIC
// 5026599165261 ns"
bool parse_header(const std::string& line, CallLog* log) {
  const size_t zero = line.find("CLOCK_MONOTONIC ");
  if (zero == std::string::npos) return false;
  return sscanf(line.c_str(), "=== recorded calls, rank %d, pid %d,", &log->rank, &log->pid) == 2 &&
         sscanf(line.c_str() + zero, "CLOCK_MONOTONIC %ld ns", &log->zero_mono_ns) == 1;
}

Status at_line(const std::string& path, size_t number, const std::string& what) {
  return Status::error(path + ":" + std::to_string(number) + ": " + what);
}

// What a replay relies on: every number it will use as an index is in range and every event starts
// before its use.
Status check_line(const LogLine& line, const CallLog& log, std::vector<bool>* started,
                  size_t* inits) {
  if (line.context > kMaxContexts)
    return Status::error("context " + std::to_string(line.context) + " is out of range");
  if (line.call == LoggedCall::Init) {
    if (line.context != ++*inits)
      return Status::error("contexts must be numbered 1, 2, ... in order of their init");
    return Status();
  }
  if (line.context > *inits)
    return Status::error("context " + std::to_string(line.context) + " had no init");
  if (line.call == LoggedCall::Finalize) return Status();
  for (const uint32_t number : {line.event, line.parent, line.parent_group}) {
    if (number > log.lines.size() + 1)
      return Status::error("event number #" + std::to_string(number) + " is out of range");
  }
  if (line.event == 0) return Status::error("the call names no event");
  if (started->size() <= line.event) started->resize(line.event * size_t{2} + 64);
  if (line.call == LoggedCall::Start) {
    (*started)[line.event] = true;
  } else if (!(*started)[line.event]) {
    return Status::error("event #" + std::to_string(line.event) + " is used before it started");
  }
  return Status();
}

}  // namespace

Result<CallLog> parse_call_log(std::string_view text, const std::string& path) {
  CallLog log;
  log.path = path;
  LineParser parser(&log);
  std::vector<bool> started;
  size_t inits = 0;
  size_t number = 0;
  bool has_header = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.size() > kMaxLineBytes)
      return at_line(path, number, "the line is longer than 4096 bytes");
    if (line.substr(0, 3) == "---") break;  // the recorder's own summary follows
    if (!has_header) {
      if (!parse_header(std::string(line), &log)) {
        return at_line(path, number,
                       "expected the header '=== recorded calls, rank R, pid P, ...'");
      }
      has_header = true;
      continue;
    }
    if (line.empty()) continue;
    Result<LogLine> parsed = parser.parse(line);
    if (!parsed.ok()) return at_line(path, number, parsed.message());
    log.lines.push_back(parsed.value());
    const Status checked = check_line(parsed.value(), log, &started, &inits);
    if (!checked.ok()) return at_line(path, number, checked.message());
    log.max_event = std::max(
        {log.max_event, parsed.value().event, parsed.value().parent, parsed.value().parent_group});
    log.max_context = std::max(log.max_context, parsed.value().context);
  }
  if (!has_header) return at_line(path, 1, "the file is empty: expected a recorded call log");
  return log;
}

Result<CallLog> read_call_log(const std::string& path) {
  const Result<std::string> text = read_text_file(path, kMaxTextBytes);
  if (!text.ok()) return text.status();
  return parse_call_log(text.value(), path);
}

}  // namespace lockstep::driver
