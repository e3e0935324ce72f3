#include "plugin/process/control.h"

#include <algorithm>
#include <cstdlib>

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/text.h"
#include "dumper/options/event_mask.h"
#include "plugin/process/control_answers.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

constexpr uint64_t kLongestFlushUs = 5000000;
// Somebody looks at the answer every second, and what is known already is better than none.
constexpr uint64_t kLongestProgressFlushUs = 500000;
constexpr uint64_t kShortestIntervalUs = 1000, kLongestIntervalUs = 3600000000;
constexpr int64_t kLongestLoanS = 600;

std::string error(const std::string& sentence) {
  JsonFields out;
  out.object([&] { out.string("error", sentence); });
  return std::string(out.text());
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
  StatusFacts facts;
  facts.kinds = parts_.events.kinds();
  facts.held_back = parts_.events.held_back();
  facts.lent = parts_.events.loan().kinds;
  facts.lent_left_ns = std::max<int64_t>(parts_.events.loan().ends_ns - mono_now_ns(), 0);
  facts.interval_us = parts_.keeper.interval_us();
  facts.records_written = parts_.dump.records_written();
  facts.written = parts_.dump.written();
  for (uint32_t i = 0; i < parts_.arena.max_blocks(); ++i)
    facts.blocks_reserved += parts_.arena.is_reserved(i) ? 1 : 0;
  facts.blocks_in_use = recorder.blocks_in_use();
  facts.max_blocks = parts_.arena.max_blocks();
  return status_answer(*recorder.arena, parts_.overhead, facts);
}

std::string Control::set_events(const std::string& kinds, const std::string& by) {
  // "none" is no preset: nobody would configure it, but here it means "stop for now".
  const Result<uint32_t> mask =
      kinds == "none" ? Result<uint32_t>(0u) : dumper::parse_events(kinds);
  if (!mask.ok()) return error(mask.message());
  parts_.events.set_kinds(mask.value(), by);
  return status();
}

std::string Control::lend_events(const std::string& words, const std::string& by) {
  const size_t end = words.find(' ');
  const Result<uint32_t> kinds = dumper::parse_events(words.substr(1, end - 1));
  if (!kinds.ok()) return error(kinds.message());
  const std::string limit = end == std::string::npos ? "" : words.substr(end + 1);
  const bool limited = starts_with(limit, "for ") && limit.size() > 5 && limit.back() == 's';
  const auto seconds =
      parse_number<int64_t>(limited ? limit.substr(4, limit.size() - 5) : std::string());
  if (!seconds || *seconds < 1 || *seconds > kLongestLoanS)
    return error("kinds are added for a limited time, 1 to 600 seconds: events +KINDS for 10s");
  parts_.events.lend(kinds.value(), mono_now_ns(), *seconds * 1'000'000'000, by);
  return status();
}

std::string Control::set_interval(const std::string& text, const std::string& by) {
  const uint64_t us = std::strtoull(text.c_str(), nullptr, 10);
  if (us < kShortestIntervalUs || us > kLongestIntervalUs)
    return error("an interval is 1000 to 3600000000 microseconds");
  parts_.keeper.set_interval_us(us);
  parts_.dump.add_note("dump interval set to " + std::to_string(us) + " us by " + by);
  return status();
}

std::string Control::let_trace(pid_t asker, const std::string& by) {
  const int64_t now_ns = mono_now_ns();
  const Status granted = parts_.permit.grant(asker, by, now_ns);
  if (!granted.ok()) return error(granted.message());
  JsonFields answer;
  answer.object([&] {
    answer.number("tracer", static_cast<int64_t>(asker));
    answer.number("left_ns", parts_.permit.left_ns(now_ns));
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
  if (word == "progress") {
    const bool flushed = parts_.dump.flush(kLongestProgressFlushUs);
    return progress_answer(*recorder.arena, parts_.progress.snapshot(), flushed);
  }
  if (word == "events" && starts_with(rest, "+")) return lend_events(rest, asked.by);
  if (word == "events") return set_events(rest, asked.by);
  if (word == "flush" || word == "snapshot") {
    if (!parts_.dump.flush(kLongestFlushUs))
      return error("not everything is written after five seconds: the disk is slow or full");
    return word == "flush" ? "{\"flushed\":true}" : status();
  }
  if (word == "interval") return set_interval(rest, asked.by);
  if (word == "trace-permit") return let_trace(asker, asked.by);
  return error("'" + word +
               "' is none of status, progress, events KINDS, events +KINDS for SECONDSs, flush, "
               "snapshot, interval US, trace-permit");
}

}  // namespace lockstep::plugin
