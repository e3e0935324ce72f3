#include "plugin/process/control.h"

#include <cstdlib>

#include "base/clock_ns.h"
#include "base/json.h"
#include "dumper/options/event_mask.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

constexpr uint64_t kLongestFlushUs = 5000000;
constexpr uint64_t kShortestIntervalUs = 1000, kLongestIntervalUs = 3600000000;

std::string error(const std::string& sentence) {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_text(&writer, "error", sentence);
  writer.EndObject();
  return text.GetString();
}

// "as USER@HOST REQUEST": who asks, when it is somebody beyond the peer that the kernel knows. It goes
// into notes, so it is a plain word.
struct Asked {
  std::string by = "the control socket";
  std::string request;
  bool wrong = false;
};
Asked parse_asked(const std::string& line) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
  Asked asked;
  asked.request = line;
  if (line.compare(0, 3, "as ") != 0) return asked;
  const size_t end = line.find(' ', 3);
  const std::string who = line.substr(3, end == std::string::npos ? end : end - 3);
  asked.wrong =
      end == std::string::npos || who.empty() || who.find_first_not_of(kPlain) != std::string::npos;
  if (asked.wrong) return asked;
  asked.by = who + " through the control socket";
  asked.request = line.substr(end + 1);
  return asked;
}

}  // namespace

std::string Control::status() const {
  const ArenaHeader& arena = *recorder.arena;
  uint64_t not_recorded = 0;
  for (const LossEntry& entry : arena.losses)
    not_recorded += entry.count.load(std::memory_order_relaxed);
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_text(&writer, "host", arena.host);
  put_uint(&writer, "pid", arena.pid);
  put_text(&writer, "run_directory", arena.run_dir);
  put_text(&writer, "events", dumper::event_names(events_.kinds()));
  put_text(&writer, "held_back", dumper::event_names(events_.held_back()));
  put_uint(&writer, "interval_us", keeper_.interval_us());
  put_uint(&writer, "records_written", dump_.records_written());
  put_uint(&writer, "calls_not_recorded", not_recorded);
  put_uint(&writer, "communicators_begun", arena.next_comm.load(std::memory_order_relaxed) - 1);
  put_key(&writer, "overhead");
  writer.StartObject();
  put_uint(&writer, "elapsed_ns", overhead_.elapsed_ns.load(std::memory_order_relaxed));
  put_uint(&writer, "callbacks_ns", overhead_.callbacks_ns.load(std::memory_order_relaxed));
  put_uint(&writer, "threads_ns", overhead_.threads_ns.load(std::memory_order_relaxed));
  writer.EndObject();
  writer.EndObject();
  return text.GetString();
}

std::string Control::let_trace(pid_t asker, const std::string& by) {
  const int64_t now_ns = mono_now_ns();
  const Status granted = permit_.grant(asker, by, now_ns);
  if (!granted.ok()) return error(granted.message());
  JsonFields answer;
  answer.object([&] {
    answer.number("tracer", static_cast<int64_t>(asker));
    answer.number("left_ns", permit_.left_ns(now_ns));
  });
  return std::string(answer.text());
}

std::string Control::answer(const std::string& line, pid_t asker) {
  const Asked asked = parse_asked(line);
  if (asked.wrong) return error("'as' wants a name and then what is asked: as USER@HOST WORDS");
  const std::string& request = asked.request;
  const size_t blank = request.find(' ');
  const std::string word = request.substr(0, blank);
  const std::string rest = blank == std::string::npos ? "" : request.substr(blank + 1);
  if (word == "status") return status();
  if (word == "events") {
    // "none" is no preset: nobody would configure it, but here it means "stop for now".
    const Result<uint32_t> kinds =
        rest == "none" ? Result<uint32_t>(0u) : dumper::parse_events(rest);
    if (!kinds.ok()) return error(kinds.message());
    events_.set_kinds(kinds.value(), asked.by);
    return status();
  }
  if (word == "flush" || word == "snapshot") {
    if (!dump_.flush(kLongestFlushUs))
      return error("not everything is written after five seconds: the disk is slow or full");
    return word == "flush" ? "{\"flushed\":true}" : status();
  }
  if (word == "interval") {
    const uint64_t us = std::strtoull(rest.c_str(), nullptr, 10);
    if (us < kShortestIntervalUs || us > kLongestIntervalUs)
      return error("an interval is 1000 to 3600000000 microseconds");
    keeper_.set_interval_us(us);
    dump_.add_note("dump interval set to " + std::to_string(us) + " us by " + asked.by);
    return status();
  }
  if (word == "trace-permit") return let_trace(asker, asked.by);
  return error("'" + word +
               "' is none of status, events KINDS, flush, snapshot, interval US, trace-permit");
}

}  // namespace lockstep::plugin
