// Marks of the program's own: one record each, through the same blocks as NCCL's calls and with the
// same rules (recorder.h): no lock, no allocation, no exception, and what is not recorded is counted.
// They come from any thread at any time. Used by plugin/marks.
#pragma once

#include <atomic>
#include <cstdint>

#include "plugin/record/recorder.h"

namespace lockstep::plugin {

// Marks made while nothing was recorded yet. Only of interest where a recording begins later.
extern std::atomic<uint64_t> marks_before_recording;

// Nothing is recorded (yet).
inline bool count_early_mark() {
  marks_before_recording.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// Records what `fields()` gives, a Record of record_fields.h; it is asked only when there is room.
// False: nothing is recorded at all, or there was no memory, which is counted.
template <typename Record, typename Fields>
[[gnu::always_inline]] inline bool record_mark(Fields fields) {
  if (__builtin_expect(!recording(), 0)) return count_early_mark();
  ThreadLog& log = own_log();
  const uint64_t ticks = now_ticks();
  count_call(log, kMarkKind, Call::Start);
  uint64_t* words = reserve(log, Record::kWords);
  if (__builtin_expect(words == nullptr, 0)) {
    count_loss(kUnknownComm, kMarkKind, Call::Start, Loss::Memory);
    return false;
  }
  const Record record = fields();
  words[0] = make_word0(kTagOf<Record>, ticks);
  record.write(words);
  publish(log, Record::kWords);
  return true;
}

}  // namespace lockstep::plugin
