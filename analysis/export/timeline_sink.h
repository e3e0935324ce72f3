// What a viewer's format is given to draw: tracks, slices with notes, counters. timeline.h decides what
// there is; an exporter implements the sink. One thread; what a slice points to is valid during the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

struct SliceNote {
  const char* name = "";
  int64_t number = 0;
  std::string_view text;  // instead of the number when not empty
};

enum class CounterUnit { Nanoseconds, Operations, MegabytesPerSecond, PartsPerBillion };

struct Slice {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t stop_ns = kNoTime;  // kNoTime = it had not ended when the recording did
  std::string_view name;
  const char* category = "";
  uint64_t flow = 0;  // slices with the same number belong together, 0 = none
  bool flow_ends = false;
  const SliceNote* notes = nullptr;
  size_t note_count = 0;
};

// `process` is a row of RunTables::processes. Tracks are numbered from 1 and told before their
// first slice.
class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  // `pid`: of viewer_pids().
  virtual void process(uint32_t process, int32_t pid, const std::string& name) = 0;
  virtual void track(uint32_t track, uint32_t process, const std::string& name) = 0;
  virtual void slice(const Slice& slice) = 0;
  // `process`: kNoRow for a host's. A value holds until the next.
  virtual void counter_track(uint32_t track, uint32_t process, const std::string& name,
                             CounterUnit unit) = 0;
  virtual void counter(uint32_t track, int64_t at_ns, int64_t value) = 0;
};

}  // namespace lockstep::analysis
