// The functions that a program calls to mark its steps and ranges, found by lockstep/mark.h. They
// return 0 when the mark was recorded and 1 when it was not. Any thread, any time.
#include <cstdint>

#include "plugin/record/capture_watch.h"
#include "plugin/record/mark_texts.h"
#include "plugin/record/marks.h"

namespace lockstep::plugin {

std::atomic<uint64_t> marks_before_recording{0};

namespace {

int told(bool recorded) { return recorded ? 0 : 1; }

// `text` is the field of the record that has it.
template <typename Record>
int mark_text(const char* words, uint16_t Record::*text) {
  return told(record_mark<Record>([words, text] {
    Record record;
    record.*text = intern_mark_text(words);
    return record;
  }));
}

template <typename Record>
[[gnu::noinline]] int mark_step(uint64_t step) noexcept {
  return told(record_mark<Record>([step] {
    Record record;
    record.step = step;
    return record;
  }));
}

// Recording, and no capture waits for a step.
bool steps_are_plain() {
  constexpr unsigned kState = 62;
  static_assert(Recorder::kWatchingSteps == uint64_t{1} << kState &&
                Recorder::kOn == uint64_t{2} << kState);
  return __builtin_expect(recorder.gate.load(std::memory_order_relaxed) >> kState == 2, 1);
}

// Apart, so that neither an inert process nor the usual way pays for them.
[[gnu::noinline, gnu::cold]] int begin_unusual_step(uint64_t step) noexcept {
  if (!recording()) return told(count_early_mark());
  capture_watch.step_begin(step);
  return mark_step<StepBeginRecord>(step);
}
[[gnu::noinline, gnu::cold]] int end_unusual_step(uint64_t step) noexcept {
  if (!recording()) return told(count_early_mark());
  capture_watch.step_end(step);
  return mark_step<StepEndRecord>(step);
}

}  // namespace
}  // namespace lockstep::plugin

using namespace lockstep;
using namespace lockstep::plugin;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int lockstep_step_begin(uint64_t step) noexcept {
  if (!steps_are_plain()) return begin_unusual_step(step);
  return mark_step<StepBeginRecord>(step);
}
EXPORTED int lockstep_step_end(uint64_t step) noexcept {
  if (!steps_are_plain()) return end_unusual_step(step);
  return mark_step<StepEndRecord>(step);
}
EXPORTED int lockstep_range_push(const char* text) noexcept {
  return mark_text(text, &RangePushRecord::text);
}
EXPORTED int lockstep_range_pop() noexcept {
  return told(record_mark<RangePopRecord>([] { return RangePopRecord(); }));
}
EXPORTED int lockstep_text(const char* text) noexcept { return mark_text(text, &TextRecord::text); }
EXPORTED int lockstep_capture_start(const char* name) noexcept {
  if (recording()) capture_watch.capture_start();
  return mark_text(name, &CaptureStartRecord::name);
}
EXPORTED int lockstep_capture_stop(const char* name) noexcept {
  if (recording()) capture_watch.capture_stop();
  return mark_text(name, &CaptureStopRecord::name);
}
