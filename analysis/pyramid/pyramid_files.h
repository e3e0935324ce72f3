// A pyramid on disk, in a folder of its own beside the run: `index.json`, and for each 1,024 buckets of
// the finest level a file N.cells, which is never changed once the run is longer (docs/viewer-api.md has
// the format). Files appear whole or not at all; index.json comes last. What is read may be damaged or
// foreign: it is then refused, and the pyramid is made again. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/pyramid/pyramid.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

constexpr int64_t kWindowBuckets = 1024;

// What a pyramid was made of.
struct PyramidSources {
  std::vector<std::pair<std::string, uint64_t>> segments;  // name in the run directory, bytes
  std::string clock;                                       // of the clock model; empty: none
};

// How large a run is, about.
struct RunExtent {
  int64_t length_ns = 0;
  uint64_t operations = 0;
  uint64_t table_bytes = 0;  // that all of its tables would take
};

struct StoredPyramid {
  PyramidSources sources;
  RunExtent extent;
  int64_t origin_ns = 0;  // RunTime::origin_ns()
  Pyramid pyramid;        // complete
};

// Windows before first_window are there already.
Status write_pyramid(const std::string& folder, const StoredPyramid& stored, int64_t first_window);
Result<StoredPyramid> read_pyramid(const std::string& folder);
// Of the files that are there, in bytes.
uint64_t pyramid_bytes(const std::string& folder);

}  // namespace lockstep::analysis
