#include "plugin/record/event_switch.h"

#include <cstdio>

#include "base/clock_ns.h"
#include "base/system.h"
#include "lockstep/shared_kinds.h"
#include "plugin/record/capture_watch.h"
#include "plugin/record/operation_sampling.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

std::string utc_now() {
  const int64_t now_ns = real_now_ns();
  char micros[16];
  std::snprintf(micros, sizeof micros, ".%06dZ", static_cast<int>(now_ns / 1000 % 1'000'000));
  return utc_text("%Y-%m-%dT%H:%M:%S", now_ns) + micros;
}

}  // namespace

void EventSwitch::prepare(dumper::EventChoice choice, uint32_t known, Note note, Changed changed) {
  wanted_ = choice.kinds;
  one_in_ = choice.one_in;
  known_ = known;
  note_ = std::move(note);
  changed_ = std::move(changed);
}

void EventSwitch::begin(int32_t* activation_mask) {
  const std::lock_guard<std::mutex> lock(mutex_);
  mask_ = activation_mask;
  apply();
}

void EventSwitch::end() {
  const std::lock_guard<std::mutex> lock(mutex_);
  mask_ = nullptr;
  capture_watch.set_in_force({}, nullptr);
}

uint32_t EventSwitch::in_force() const {
  const bool wide = is_wide(capture_watch.phase());
  return outside_capture() | (wide ? allowed(captured_) : 0);
}

bool EventSwitch::wants_all(uint32_t kinds_besides) const {
  return ((loan_.kinds | kinds_besides) & kSharedKinds) != 0;
}

uint32_t EventSwitch::share_in_force() const {
  return wants_all(is_wide(capture_watch.phase()) ? captured_ : 0) ? 1 : one_in_;
}

void EventSwitch::apply() {
  changed_(in_force());
  if (mask_ != nullptr) always_on_ &= outside_capture();
  put_in_force(true);
}

// NCCL's threads may go from one phase to the next meanwhile; they read the words that are set first.
void EventSwitch::put_in_force(bool open_gate) {
  const uint32_t asked = outside_capture() | ((chain_ | watched_) & known_);
  const uint32_t kinds = outside_capture() | allowed(captured_ | late_);
  CaptureWatch::InForce words;
  words.kinds = static_cast<uint16_t>(kinds);
  words.narrow_mask = static_cast<uint16_t>(asked);
  words.wide_mask = static_cast<uint16_t>(asked | allowed(captured_));
  capture_watch.set_in_force(words, mask_);
  operation_sampling.choose(one_in_, wants_all(0), wants_all(captured_));
  const uint32_t sampled = one_in_ == 1 ? 0 : OperationSampling::kWatched;
  recorder.watched.store((watched_ | sampled) & (known_ | Recorder::kWatchSteps),
                         std::memory_order_relaxed);
  for (uint64_t seen = capture_watch.word();; seen = capture_watch.word()) {
    const CapturePhase phase = CaptureWatch::phase_of(seen);
    const bool late = phase == CapturePhase::Closed || phase == CapturePhase::Stopped;
    const uint32_t now = is_wide(phase) || late ? kinds : outside_capture() | allowed(late_);
    open_gate ? recorder.set_kinds(now) : recorder.change_kinds(now);
    if (mask_ != nullptr)
      __atomic_store_n(mask_, is_wide(phase) ? words.wide_mask : words.narrow_mask,
                       __ATOMIC_RELAXED);
    if (capture_watch.word() == seen) return;
  }
}

void EventSwitch::set_captured(uint32_t kinds, uint32_t watched) {
  const std::lock_guard<std::mutex> lock(mutex_);
  captured_ = kinds;
  watched_ = watched;
  refresh_locked();
}

void EventSwitch::keep_late(uint32_t kinds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  late_ = kinds;
  refresh_locked();
}

void EventSwitch::refresh() {
  const std::lock_guard<std::mutex> lock(mutex_);
  refresh_locked();
}

void EventSwitch::refresh_locked() {
  if (mask_ != nullptr) put_in_force(false);  // before begin(), and at exit, the gate is shut
}

void EventSwitch::note_capture(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_(in_force());
  if (!what.empty()) tell(what);
}

bool EventSwitch::was_always_on(uint32_t kinds) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return mask_ != nullptr && (always_on_ & kinds) == kinds;
}

void EventSwitch::tell(const std::string& what) const {
  note_(utc_now() + " " + what +
        "; recorded from here on: " + dumper::event_names(in_force(), share_in_force()));
}

void EventSwitch::set_kinds(dumper::EventChoice choice, const std::string& by_whom) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wanted_ = choice.kinds;
  one_in_ = choice.one_in;
  held_back_ = 0;
  loan_ = {};
  apply();
  tell("events set to " + dumper::event_names(choice.kinds, choice.one_in) + " by " + by_whom);
}

void EventSwitch::lend(uint32_t kinds, int64_t now_ns, int64_t lasts_ns,
                       const std::string& by_whom) {
  const std::lock_guard<std::mutex> lock(mutex_);
  loan_ = {kinds, now_ns + lasts_ns};
  apply();
  tell("events set to " + dumper::event_names(wanted_ | kinds) + " for " +
       std::to_string(lasts_ns / 1'000'000'000) + " s by " + by_whom);
}

void EventSwitch::end_loan(int64_t now_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (loan_.kinds == 0 || now_ns < loan_.ends_ns) return;
  loan_ = {};
  apply();
  tell("events set to " + dumper::event_names(wanted_, one_in_) + " again, as before that");
}

EventSwitch::Loan EventSwitch::loan() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return loan_;
}

void EventSwitch::hold_back(uint32_t kinds, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kinds == held_back_) return;
  held_back_ = kinds;
  apply();
  tell("held back " + dumper::event_names(kinds) + ": " + why);
}

void EventSwitch::set_chain_mask(uint32_t kinds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kinds == chain_) return;
  chain_ = kinds;
  apply();
}

bool EventSwitch::try_set_chain_mask(uint32_t kinds) {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  chain_ = kinds;
  apply();
  return true;
}

uint32_t EventSwitch::kinds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return in_force();
}

uint32_t EventSwitch::one_in() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return share_in_force();
}

uint32_t EventSwitch::kinds_outside_captures() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return outside_capture();
}

uint32_t EventSwitch::held_back() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return held_back_;
}

void EventSwitch::with_kinds(const std::function<void(uint32_t kinds)>& body) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  body(mask_ == nullptr ? 0 : outside_capture());  // before begin() the recorder's gate is shut
}

}  // namespace lockstep::plugin
