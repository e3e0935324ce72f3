// The functions that a program calls to mark its steps and ranges, found by lockstep/mark.h. They
// return 0 when the mark was recorded and 1 when it was not. Any thread, any time.
#include <cstdint>

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
int mark_step(uint64_t step) {
  return told(record_mark<Record>([step] {
    Record record;
    record.step = step;
    return record;
  }));
}

}  // namespace
}  // namespace lockstep::plugin

using namespace lockstep;
using namespace lockstep::plugin;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int lockstep_step_begin(uint64_t step) noexcept {
  return mark_step<StepBeginRecord>(step);
}
EXPORTED int lockstep_step_end(uint64_t step) noexcept { return mark_step<StepEndRecord>(step); }
EXPORTED int lockstep_range_push(const char* text) noexcept {
  return mark_text(text, &RangePushRecord::text);
}
EXPORTED int lockstep_range_pop() noexcept {
  return told(record_mark<RangePopRecord>([] { return RangePopRecord(); }));
}
EXPORTED int lockstep_text(const char* text) noexcept { return mark_text(text, &TextRecord::text); }
EXPORTED int lockstep_capture_start(const char* name) noexcept {
  return mark_text(name, &CaptureStartRecord::name);
}
EXPORTED int lockstep_capture_stop(const char* name) noexcept {
  return mark_text(name, &CaptureStopRecord::name);
}
