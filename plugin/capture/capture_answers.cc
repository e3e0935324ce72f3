#include "plugin/capture/capture_answers.h"

#include "base/json.h"
#include "dumper/options/event_mask.h"

namespace lockstep::plugin {
namespace {

void put_or_null(JsonFields& out, const char* key, bool known, uint64_t number) {
  if (known) return out.number(key, number);
  put_key(&out.writer(), key);
  out.writer().Null();
}

}  // namespace

const char* capture_state(CapturePhase phase) {
  switch (phase) {
    case CapturePhase::None:
      return "none";
    case CapturePhase::Armed:
    case CapturePhase::Open:
      return "armed";
    case CapturePhase::Started:
    case CapturePhase::Closed:
      return "started";
    case CapturePhase::Stopped:
      return "stopped";
    case CapturePhase::Late:
      return "late";
    default:
      return "cancelled";
  }
}

std::string capture_error(const std::string& sentence, const std::string& capture) {
  JsonFields out;
  out.object([&] {
    out.string("error", sentence);
    if (!capture.empty()) out.string("capture", capture);
  });
  return std::string(out.text());
}

std::string capture_armed_answer(const CaptureSession& session) {
  JsonFields out;
  out.object([&] {
    out.string("capture", session.order.id);
    out.string("state", capture_state(session.phase));
    out.string("rule", session.order.rule_text);
    put_or_null(out, "position", session.position != CaptureWatch::kUnknown, session.position);
    put_or_null(out, "bound_ns", session.bound_ns.has_value(),
                static_cast<uint64_t>(session.bound_ns.value_or(0)));
    if (session.order.rule == CaptureRule::Instant) out.string("clock", "wall");
  });
  return std::string(out.text());
}

std::string capture_status_answer(const CaptureSession& session, uint32_t kinds_now,
                                  const CaptureCosts& costs_now) {
  const CaptureOrder& order = session.order;
  const bool started = session.start_told, stopped = session.phase == CapturePhase::Stopped;
  const bool steps = order.rule == CaptureRule::Step, instant = order.rule == CaptureRule::Instant;
  const bool counted = order.rule == CaptureRule::Position || steps;
  const uint64_t first = steps ? session.first_step : order.from;
  const CaptureCosts now = stopped ? session.at_stop : started ? costs_now : session.at_start;
  JsonFields out;
  out.object([&] {
    out.string("capture", order.id);
    out.string("state", capture_state(session.phase));
    out.string("rule", order.rule_text);
    out.string("kinds", dumper::event_names(order.kinds));
    put_or_null(out, "position", session.position != CaptureWatch::kUnknown, session.position);
    put_or_null(out, "start_position", started && counted, first);
    put_or_null(out, "stop_position", stopped && counted && !session.cut_short,
                first + order.count);
    put_or_null(out, "start_ns", started, static_cast<uint64_t>(session.start_raw_ns));
    put_or_null(out, "stop_ns", stopped, static_cast<uint64_t>(session.stop_raw_ns));
    put_or_null(out, "bound_ns", session.bound_ns.has_value(),
                static_cast<uint64_t>(session.bound_ns.value_or(0)));
    if (instant)
      out.string("clock", "wall");
    else
      put_or_null(out, "clock", false, 0);
    out.string("events_before", dumper::event_names(session.kinds_before));
    out.string("events_now", dumper::event_names(kinds_now));
    if (session.settled)
      out.string("events_after", dumper::event_names(session.kinds_after));
    else
      put_or_null(out, "events_after", false, 0);
    out.number("bytes", now.bytes - session.at_start.bytes);
    out.number("records", now.records - session.at_start.records);
    out.number("calls_not_recorded", now.calls_not_recorded - session.at_start.calls_not_recorded);
    out.number("overhead_ns", now.overhead_ns - session.at_start.overhead_ns);
  });
  return std::string(out.text());
}

}  // namespace lockstep::plugin
