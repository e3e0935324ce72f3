#include "plugin/process/control.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/text.h"
#include "plugin/process/control_answers.h"
#include "plugin/process/control_words.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

// Somebody looks at the answer every second, and what is known already is better than none.
constexpr uint64_t kLongestProgressFlushUs = 500000;

std::string error(const std::string& sentence) {
  JsonFields out;
  out.object([&] { out.string("error", sentence); });
  return std::string(out.text());
}

}  // namespace

std::string Control::status() const {
  StatusFacts facts;
  facts.kinds = parts_.events.kinds();
  facts.one_in = parts_.events.one_in();
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
  const Result<dumper::EventChoice> choice = parse_kinds(kinds);
  if (!choice.ok()) return error(choice.message());
  parts_.events.set_kinds(choice.value(), by);
  return status();
}

std::string Control::lend_events(const std::string& words, const std::string& by) {
  const Result<KindLoan> loan = parse_loan(words);
  if (!loan.ok()) return error(loan.message());
  parts_.events.lend(loan.value().kinds, mono_now_ns(), loan.value().seconds * 1'000'000'000, by);
  return status();
}

std::string Control::set_interval(const std::string& text, const std::string& by) {
  const Result<uint64_t> us = parse_interval_us(text);
  if (!us.ok()) return error(us.message());
  parts_.keeper.set_interval_us(us.value());
  parts_.dump.add_note("dump interval set to " + std::to_string(us.value()) + " us by " + by);
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
  const Result<ControlLine> parsed = parse_control_line(line);
  if (!parsed.ok()) return error(parsed.message());
  const ControlLine& asked = parsed.value();
  const std::string& word = asked.word;
  const std::string& rest = asked.rest;
  if (word == "status") return status();
  if (word == "progress") {
    const bool flushed = parts_.dump.flush(kLongestProgressFlushUs);
    return progress_answer(*recorder.arena, parts_.progress.snapshot(), flushed,
                           parts_.dump.is_behind());
  }
  if (word == "events" && starts_with(rest, "+")) return lend_events(rest, asked.by);
  if (word == "events") return set_events(rest, asked.by);
  if (word == "flush" || word == "snapshot") {
    if (!parts_.dump.flush(kLongestFlushUs))
      return error("not everything is written after five seconds: the disk is slow or full");
    return word == "flush" ? "{\"flushed\":true}" : status();
  }
  if (word == "interval") return set_interval(rest, asked.by);
  if (word == "capture") return parts_.captures.answer(rest, asked.by, Captures::Now::read());
  if (word == "trace-permit") return let_trace(asker, asked.by);
  return error("'" + word +
               "' is none of status, progress, events KINDS, events +KINDS for SECONDSs, flush, "
               "snapshot, interval US, capture arm|status|cancel, trace-permit");
}

}  // namespace lockstep::plugin
