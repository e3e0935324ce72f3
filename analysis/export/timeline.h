// A run as tracks and slices, for viewers: draw_timeline() walks the tables and the streamed
// details once and tells a TimelineSink what to draw. It decides what gets a track, what a slice is
// called and what is noted on it, so that every viewer format shows the same. Slices of one track
// never overlap; the operations that were matched across ranks share a flow. Called by the Perfetto
// and Chrome exporters on one thread; memory is bounded by a window of slices, not by the run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/export.h"

namespace lockstep::analysis {

struct SliceNote {
  const char* name = "";
  int64_t number = 0;
  std::string_view text;  // instead of the number when not empty
};

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
  virtual void process(uint32_t process, const std::string& name) = 0;
  virtual void track(uint32_t track, uint32_t process, const std::string& name) = 0;
  virtual void slice(const Slice& slice) = 0;
  virtual void counter_track(uint32_t track, const std::string& name) = 0;  // in nanoseconds
  virtual void counter(uint32_t track, int64_t at_ns, int64_t value_ns) = 0;
};

struct TimelineCounts {
  uint64_t operations = 0, slices = 0, flows = 0, counters = 0, untimed = 0;
};

Status draw_timeline(const ExportInput& input, const ExportOptions& options, TimelineSink* sink,
                     TimelineCounts* counts);
// Into the summary of an export that drew a timeline.
void add_counts(const TimelineCounts& counts, ExportSummary* summary);

}  // namespace lockstep::analysis
