#include "hostload/sample/task_files.h"

#include "hostload/sample/kernel_text.h"

namespace lockstep::hostload {
namespace {

// Numbers as proc(5) counts the fields of stat.
constexpr int kFirstFieldBehindName = 3;
constexpr int kMinorFaults = 10, kMajorFaults = 12, kStartTime = 22, kProcessor = 39;

// From the state on: the name before it may hold blanks and parentheses, so its end is the last one.
std::string_view behind_name(std::string_view stat) {
  const size_t end = stat.rfind(')');
  return end == std::string_view::npos ? std::string_view() : stat.substr(end + 1);
}

}  // namespace

void read_schedstat(std::string_view text, ThreadTimes* times) {
  times->run_ns = take_number(&text);
  times->wait_ns = take_number(&text);
  times->timeslices = take_number(&text);
}

void read_status(std::string_view text, ThreadEvents* events) {
  while (!text.empty()) {
    std::string_view line = take_line(&text);
    const std::string_view key = take_word(&line);
    if (key == "voluntary_ctxt_switches:") events->voluntary_switches = take_number(&line);
    if (key == "nonvoluntary_ctxt_switches:") events->involuntary_switches = take_number(&line);
    if (key == "Cpus_allowed_list:") events->processors_allowed = count_of_list(take_word(&line));
  }
}

void read_stat(std::string_view text, ThreadEvents* events) {
  std::string_view fields = behind_name(text);
  for (int field = kFirstFieldBehindName; field <= kProcessor && !fields.empty(); ++field) {
    const std::string_view word = take_word(&fields);
    if (field == kMinorFaults) events->minor_faults = leading_number(word);
    if (field == kMajorFaults) events->major_faults = leading_number(word);
    if (field == kProcessor) events->processor = leading_number(word);
  }
}

uint64_t start_time(std::string_view stat) {
  std::string_view fields = behind_name(stat);
  for (int field = kFirstFieldBehindName; field < kStartTime; ++field) take_word(&fields);
  const int64_t ticks = take_number(&fields);
  return ticks < 0 ? 0 : static_cast<uint64_t>(ticks);
}

}  // namespace lockstep::hostload
