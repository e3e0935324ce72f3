// The pyramid of a run directory: read where it was stored and the run is still the same, continued where
// the run has grown since or goes on, made anew otherwise. It is made of a part of the run after another, so that
// memory holds the tables of one part. A part is read with some of what lies before and behind it; cells
// are exact unless a wait that crosses a border of two parts is longer than 10 s (15 s of parts of two minutes and more), but
// for how exactly GPUs' clocks are known (microseconds), and but for what NCCL does not number, which parts match by its times (analysis/relate/span_numbers.h). One
// thread; reading uses more.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "analysis/load/run.h"
#include "analysis/pyramid/pyramid_files.h"

namespace lockstep::analysis {

struct PyramidOptions {
  uint64_t most_table_bytes = uint64_t{1} << 30;  // of a part
  bool goes_on = false;                  // time goes on where nothing is recorded, as in a hang
  std::function<void(double)> progress;  // 0..1; may be empty
  std::function<void(const RunExtent&)> estimate;  // before the run is read; may be empty
};

// All of a run, with what its processes on this host have not written yet.
struct WholeRun {
  std::unique_ptr<RunTables> tables;
  Activity activity;  // of them
};

struct PyramidNotes {
  size_t parts = 0;       // of the run that were read for it, 0 when it was there
  std::string unwritten;  // why it is not stored; empty: it is
  WholeRun whole;         // where all was read at once, so that nobody needs to read it again
};
// How often what such a run has is read for a pyramid in parts, on the average: each part with what lies around it.
double times_read(const RunExtent& extent, uint64_t most_table_bytes);

// `folder`: where it is stored, which exists.
Result<StoredPyramid> load_or_build_pyramid(const std::string& directory, const std::string& folder,
                                            const PyramidOptions& options, PyramidNotes* notes);

}  // namespace lockstep::analysis
