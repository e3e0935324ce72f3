// The heat map's numbers: a run cut into rows of neighbouring ranks and columns of equal time, each cell with the shares
// of its time that its ranks spent in operations, waited, and made others wait. make_tiles() computes them from the
// tables, linear in the operations (sorted by rank and time), one thread; encode_tiles() writes the bytes that the page
// reads, from inside itself or from /api/tiles (docs/viewer.md). Nothing here touches a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

constexpr uint32_t kNobody = ~uint32_t{0};
constexpr uint16_t kNoDataHere = 1, kLostHere = 2, kPartlyHere = 4;  // TileCell::flags

struct TileCell {
  // Of 65535: an operation was in flight, it waited for others (means of the row's ranks); others waited for it (of the
  // rank for which that is most).
  uint16_t busy = 0, waiting = 0, caused = 0;
  uint16_t flags = 0;
  uint32_t worst_rank = kNobody;  // for whom others waited most here
  uint32_t longest_wait_us = 0;   // of one operation that somebody waited in here
};

// Times are since span_of().from_ns (rank_times.h).
struct TileSet {
  int64_t from_ns = 0, to_ns = 0, bucket_ns = 1;
  uint32_t columns = 0;
  std::vector<std::pair<uint32_t, uint32_t>>
      rows;                     // first and last rank in the largest communicator
  std::vector<TileCell> cells;  // row by row
};

struct TileLimits {
  uint32_t rows = 256, columns = 512;
};
TileSet make_tiles(const RunTables& run, TileLimits limits);

std::string encode_tiles(const TileSet& tiles);

}  // namespace lockstep::analysis
