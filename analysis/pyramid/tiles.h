// A tile: what rows of ranks did in columns of time, as the bytes that the page draws (docs/viewer-api.md
// has the layout). A row stands for one rank or several neighbours; a column for one bucket of a level.
// Any thread.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analysis/pyramid/cells.h"
#include "base/number_ranges.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

enum class TileRows { Ranks, Hosts, Communicators };
constexpr size_t kMostTileRows = 256, kMostTileColumns = 1024;

struct TileRequest {
  int64_t from_ns = 0, to_ns = 0;  // run time; the tile begins and ends at the buckets around them
  int level = -1;                  // -1: the finest that `columns` are enough for
  NumberRanges ranks;              // none: all
  TileRows by = TileRows::Ranks;
  std::set<std::string> communicators;  // labels of those that rows are made of; none: all
  size_t rows = kMostTileRows, columns = kMostTileColumns;
};

struct TileRow {
  std::string label;  // of a host or a communicator
  int32_t first_rank = -1, last_rank = -1;
  std::vector<size_t> lanes;
};
struct TileShape {
  int level = 0;
  int64_t first = 0;  // bucket
  size_t columns = 0;
  std::vector<TileRow> rows;

  int64_t from_ns() const { return first * bucket_ns(level); }
  int64_t to_ns() const { return from_ns() + static_cast<int64_t>(columns) * bucket_ns(level); }
};

// The error says which part of the request cannot be.
Result<TileShape> shape_of(const std::vector<LaneFacts>& lanes, const TileRequest& request);

// cells(lane): shape.columns cells of that lane, from shape.first on.
std::string tile_bytes(const std::vector<LaneFacts>& lanes, const TileShape& shape,
                       const std::function<Cells(size_t lane)>& cells);

}  // namespace lockstep::analysis
