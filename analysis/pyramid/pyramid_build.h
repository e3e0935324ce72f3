// The pyramid of a run directory: read where it was stored and the run is still the same, continued where
// the run has grown since, made anew otherwise. It is made of a part of the run after another, so that
// memory holds the tables of one part. A part is read with some of what lies before and behind it; cells
// are exact unless a wait that crosses a border of two parts is longer than an eighth of a part, and but
// for what NCCL does not number, which parts match by its times (analysis/relate/span_numbers.h). One
// thread; reading uses more.
#pragma once

#include <functional>
#include <string>

#include "analysis/load/run.h"
#include "analysis/pyramid/pyramid_files.h"

namespace lockstep::analysis {

// How large a run is, found by reading a small part of it.
struct RunExtent {
  int64_t length_ns = 0;
  uint64_t operations = 0;    // about
  uint64_t table_bytes = 0;   // that all of its tables would take, about
  uint64_t stored_bytes = 0;  // segments
};
Result<RunExtent> extent_of(const std::string& directory);

PyramidSources sources_of(const dumper::RunDirectory& run);

struct PyramidOptions {
  uint64_t most_table_bytes = uint64_t{1} << 30;  // of a part
  std::function<void(double)> progress;           // 0..1; may be empty
};

struct PyramidNotes {
  size_t parts = 0;       // of the run that were read for it, 0 when it was there
  std::string unwritten;  // why it is not stored; empty: it is
};
// `folder`: where it is stored, which exists.
Result<StoredPyramid> load_or_build_pyramid(const std::string& directory, const RunExtent& extent,
                                            const std::string& folder,
                                            const PyramidOptions& options, PyramidNotes* notes);

}  // namespace lockstep::analysis
