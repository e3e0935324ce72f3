// A run as tracks and slices, for viewers: draw_timeline() walks the tables and the streamed
// details once and tells a TimelineSink what to draw. It decides what gets a track, what a slice is
// called and what is noted on it, so that every viewer format shows the same. Slices of one track
// never overlap; the operations that were matched across ranks share a flow. Called by the Perfetto
// and Chrome exporters on one thread; memory is bounded by a window of slices, not by the run.
#pragma once

#include "analysis/export/export.h"
#include "analysis/export/timeline_sink.h"

namespace lockstep::analysis {

struct TimelineCounts {
  uint64_t operations = 0, slices = 0, flows = 0, counters = 0, untimed = 0;
};

Status draw_timeline(const ExportInput& input, const ExportOptions& options, TimelineSink* sink,
                     TimelineCounts* counts);
// Into the summary of an export that drew a timeline.
void add_counts(const TimelineCounts& counts, ExportSummary* summary);

}  // namespace lockstep::analysis
