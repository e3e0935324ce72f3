#include "plugin/capture/capture.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "lockstep/kind_mask.h"
#include "plugin/capture/capture_answers.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

constexpr uint32_t kCollectiveCalls = kind_bit(Kind::CollApi);
constexpr int64_t kNoHurryNs = 1'000'000'000;

bool is_over(CapturePhase phase) {
  return phase == CapturePhase::Stopped || phase == CapturePhase::Late ||
         phase == CapturePhase::Cancelled;
}

bool has_started(CapturePhase phase) {
  return phase == CapturePhase::Started || phase == CapturePhase::Closed ||
         phase == CapturePhase::Stopped;
}

Status program_has_begun() { return Status::error("the program has begun a capture itself"); }

}  // namespace

Captures::Now Captures::Now::read() { return {mono_now_ns(), real_now_ns()}; }

Captures::Captures(EventSwitch& events, CaptureSurroundings surroundings, uint32_t program_kinds)
    : events_(events), surroundings_(std::move(surroundings)), program_kinds_(program_kinds) {}

void Captures::open_to_program() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (session_.settled) events_.set_captured(program_kinds_, 0);
}

std::string Captures::answer(const std::string& words, const std::string& by, const Now& now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t blank = words.find(' ');
  const std::string word = words.substr(0, blank);
  const std::string rest = blank == std::string::npos ? "" : words.substr(blank + 1);
  look_at_phase(now);
  if (word == "arm") return arm(rest, by, now);
  if (word != "status" && word != "cancel")
    return capture_error("'" + word + "' is none of capture arm ID .., status [ID], cancel ID");
  // Windows of the duty cycle are nobody's business but their own.
  const CaptureSession& session =
      is_window(session_) && rest != session_.order.id ? asked_ : session_;
  if (session.phase == CapturePhase::None && word == "status" && rest.empty())
    return "{\"capture\":null,\"state\":\"none\"}";
  const bool is_named = !rest.empty() && rest == session.order.id;
  if (!is_named && !(rest.empty() && word == "status"))
    return capture_error(session.order.id.empty() ? "there was no capture in this process"
                                                  : "the last capture here was " +
                                                        session.order.id + ", not '" + rest + "'",
                         session.order.id);
  return word == "status" || &session != &session_ ? status_answer(session) : cancel(now);
}

std::string Captures::status_answer(const CaptureSession& session) const {
  return capture_status_answer(session, events_.kinds(), surroundings_.costs());
}

std::string Captures::arm(const std::string& words, const std::string& by, const Now& now) {
  Result<CaptureOrder> order = parse_capture_order(words);
  if (!order.ok()) return capture_error(order.message());
  if (!session_.settled && is_window(session_)) {
    end_early();
    look_at_phase(now);
  }
  if (!session_.settled)
    return capture_error("capture " + session_.order.id + " is " + capture_state(session_.phase) +
                             " already: one at a time",
                         session_.order.id);
  const CaptureSession last = session_;
  session_ = CaptureSession();
  session_.order = order.value();
  session_.by = by;
  session_.kinds_before = events_.kinds();
  session_.limit_mono_ns = now.mono_ns + session_.order.limit_ns;
  if (Status armed = arm_rule(now); !armed.ok()) {
    session_ = last;
    if (capture_watch.cancel_now()) capture_watch.clear(0);
    events_.set_captured(program_kinds_, 0);
    return capture_error(armed.message());
  }
  session_.settled = false;
  session_.phase = CapturePhase::Armed;
  look_at_phase(now);
  return capture_armed_answer(session_);
}

Status Captures::arm_rule(const Now& now) {
  const CaptureOrder& order = session_.order;
  session_.bound_ns = 0;
  if (order.rule == CaptureRule::Position) {
    if (!events_.was_always_on(kCollectiveCalls))
      return Status::error(
          "this process has not recorded every call of a collective (CollApi), so that it does not "
          "know its positions; capture by an instant or by steps");
    const std::optional<uint32_t> comm = surroundings_.comm_of(order.comm_id);
    if (!comm) return Status::error("this process has no such communicator: " + order.rule_text);
    events_.set_captured(order.kinds, kCollectiveCalls);
    const Result<uint64_t> before = surroundings_.watch_calls(*comm);
    if (!before.ok()) return before.status();
    session_.calls_before = before.value();
    const bool in_time = order.from > before.value() + 1;
    capture_watch.open_after(in_time ? order.from - 1 - before.value() : 0, order.count);
  } else if (order.rule == CaptureRule::Step) {
    events_.set_captured(order.kinds, Recorder::kWatchSteps);
    if (!capture_watch.arm_step(order.from, order.count)) return program_has_begun();
  } else {
    session_.start_mono_ns = now.mono_ns + (order.at_real_ns - now.real_ns);
    session_.stop_mono_ns = session_.start_mono_ns + order.lasts_ns;
    if (session_.stop_mono_ns > session_.limit_mono_ns)
      return Status::error("the instant's window ends after the capture's limit; give limit_ms");
    session_.bound_ns = surroundings_.wall_bound_ns();
    events_.set_captured(order.kinds, 0);
    if (!capture_watch.arm_instant()) return program_has_begun();
    if (session_.start_mono_ns <= now.mono_ns) capture_watch.late_now();
  }
  return Status();
}

// By its limit, by word, at the recording's end.
void Captures::end_early() {
  if (!capture_watch.cancel_now() && capture_watch.stop_now()) session_.cut_short = true;
}

std::string Captures::cancel(const Now& now) {
  end_early();
  look_at_phase(now);
  return status_answer(session_);
}

int64_t Captures::look(const Now& now) {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return kNoHurryNs;  // somebody is arming
  if (late_until_ns_ != 0 && now.mono_ns >= late_until_ns_) {
    events_.keep_late(0);
    late_until_ns_ = 0;
  }
  begin_window(now);
  if (capture_watch.phase() == CapturePhase::None) return wait_ns(now);
  take_program_capture(now);
  keep_times(now);
  events_.refresh();
  look_at_phase(now);
  return wait_ns(now);
}

void Captures::end(const Now& now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  take_program_capture(now);
  end_early();
  look_at_phase(now);
  if (late_until_ns_ != 0) events_.keep_late(0);
  late_until_ns_ = 0;
}

// The program began one: its own thread could not make a session of it.
void Captures::take_program_capture(const Now& now) {
  if (!session_.settled || capture_watch.rule() != CaptureRule::Program) return;
  session_ = CaptureSession();
  session_.order.id = "program-" + std::to_string(++program_captures_);
  session_.order.rule = CaptureRule::Program;
  session_.order.rule_text = "program";
  session_.order.kinds = program_kinds_;
  session_.by = "the program";
  session_.bound_ns = 0;
  session_.kinds_before = session_.kinds_after = events_.kinds_outside_captures();
  session_.limit_mono_ns = now.mono_ns + session_.order.limit_ns;
  session_.settled = false;
}

void Captures::keep_times(const Now& now) {
  if (session_.order.rule == CaptureRule::Instant) {
    if (now.mono_ns >= session_.start_mono_ns) capture_watch.start_now();
    if (now.mono_ns >= session_.stop_mono_ns) capture_watch.stop_now();
  }
  if (now.mono_ns >= session_.limit_mono_ns) end_early();
}

int64_t Captures::wait_ns(const Now& now) const {
  int64_t wait = kNoHurryNs;
  if (cycle_.every_ns != 0) wait = std::min(wait, next_window_real_ns_ - now.real_ns);
  if (session_.order.rule == CaptureRule::Instant && !session_.settled) {
    const bool started = session_.phase == CapturePhase::Started;
    wait = std::min(wait, (started ? session_.stop_mono_ns : session_.start_mono_ns) - now.mono_ns);
  }
  return std::max<int64_t>(wait, 0);
}

bool Captures::is_window(const CaptureSession& session) const {
  return cycle_.every_ns != 0 && session.order.rule_text == cycle_.text;
}

void Captures::set_cycle(const CaptureCycle& cycle, const Now& now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  cycle_ = cycle;
  next_window_real_ns_ = (now.real_ns / cycle.every_ns + 1) * cycle.every_ns;
}

// Windows begin at multiples of the period, so that all ranks have the same ones. One whose time has
// passed, because the clock was set or nobody looked, is left out.
void Captures::begin_window(const Now& now) {
  if (cycle_.every_ns == 0 || now.real_ns < next_window_real_ns_) return;
  const int64_t begins_ns = next_window_real_ns_;
  next_window_real_ns_ = (now.real_ns / cycle_.every_ns + 1) * cycle_.every_ns;
  if (now.real_ns - begins_ns >= cycle_.lasts_ns || !session_.settled) return;
  CaptureSession window;
  window.order.id = "every-" + std::to_string(begins_ns / 1'000'000'000);
  window.order.rule = CaptureRule::Instant;
  window.order.rule_text = cycle_.text;
  window.order.kinds = program_kinds_;
  window.by = "LOCKSTEP_CAPTURE_EVERY";
  window.kinds_before = events_.kinds();
  window.start_mono_ns = now.mono_ns;
  window.stop_mono_ns = now.mono_ns + cycle_.lasts_ns - (now.real_ns - begins_ns);
  window.limit_mono_ns = window.stop_mono_ns;
  window.settled = false;
  if (!capture_watch.arm_instant()) return;
  session_ = window;
}

void Captures::look_at_phase(const Now& now) {
  if (session_.settled) return;
  const CapturePhase phase = capture_watch.phase();
  // The program's thread has begun one and will say when in its next instruction.
  if (has_started(phase) && capture_watch.start_ticks() == 0) return;
  session_.phase = phase;
  session_.first_step = capture_watch.first_step();
  if (session_.order.rule == CaptureRule::Position)
    session_.position = session_.calls_before + capture_watch.calls();
  if (session_.order.rule == CaptureRule::Step) session_.position = capture_watch.last_step();
  if (has_started(session_.phase) && !session_.start_told) tell_start();
  if (is_over(session_.phase)) settle(now);
}

// " at position 12", " at step 7".
std::string Captures::place(bool stop) const {
  const CaptureOrder& order = session_.order;
  const uint64_t count = stop ? order.count : 0;
  if (order.rule == CaptureRule::Position)
    return " at position " + std::to_string(order.from + count);
  if (order.rule == CaptureRule::Step)
    return " at step " + std::to_string(session_.first_step + count);
  return "";
}

dumper::NotedCapture Captures::noted() const {
  return {session_.order.id, session_.order.rule_text, session_.by,
          static_cast<uint64_t>(session_.start_raw_ns),
          static_cast<uint64_t>(session_.stop_raw_ns)};
}

// A ledger has room for some notes only, and repeats them all.
void Captures::note(const std::string& what) {
  const bool all_told = is_window(session_) && windows_ > kNotedWindows;
  if (!all_told) return events_.note_capture(what);
  events_.note_capture(all_told_ ? "" : "further windows of " + cycle_.text + " have no notes");
  all_told_ = true;
}

void Captures::tell_start() {
  session_.start_told = true;
  session_.start_raw_ns = surroundings_.raw_ns(capture_watch.start_ticks());
  session_.at_start = session_.at_stop = surroundings_.costs();
  if (is_window(session_)) ++windows_;
  note(dumper::capture_start_note(noted(), place(false)));
}

void Captures::settle(const Now& now) {
  session_.settled = true;
  const std::string name = "capture " + session_.order.id;
  const uint64_t began = session_.start_told ? capture_watch.start_ticks() : 0;
  if (session_.phase == CapturePhase::Stopped) {
    session_.stop_raw_ns = surroundings_.raw_ns(capture_watch.stop_ticks());
    session_.at_stop = surroundings_.costs();
    events_.keep_late(session_.order.kinds);
    late_until_ns_ = now.mono_ns + kLateNs;
  }
  const bool by_program = session_.order.rule == CaptureRule::Program;
  capture_watch.clear(by_program ? began + surroundings_.ticks_in(kProgramPauseNs) : 0);
  events_.set_captured(program_kinds_, 0);
  session_.kinds_after = events_.kinds();
  if (session_.phase == CapturePhase::Stopped)
    note(dumper::capture_stop_note(noted(), session_.cut_short ? " before its end" : place(true)));
  else
    note(name + (session_.phase == CapturePhase::Late ? " was armed too late: its start had passed"
                                                      : " was cancelled before it started"));
  if (!is_window(session_)) asked_ = session_;
}

}  // namespace lockstep::plugin
