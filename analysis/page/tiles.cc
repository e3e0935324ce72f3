#include "analysis/page/tiles.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/page/rank_times.h"

namespace lockstep::analysis {
namespace {

constexpr double kWhole = 65535;

class Tiler {
 public:
  Tiler(const RunTables& run, TileLimits limits) : run_(run), span_(span_of(run)) {
    const int64_t length = std::max<int64_t>(1, span_.to_ns - span_.from_ns);
    tiles_.bucket_ns = (length + limits.columns - 1) / limits.columns;
    tiles_.columns = static_cast<uint32_t>((length + tiles_.bucket_ns - 1) / tiles_.bucket_ns);
    tiles_.to_ns = length;
    row_limit_ = limits.rows;
  }

  TileSet make() {
    std::map<int32_t, RankTimes> ranks = rank_times(run_, span_);
    if (ranks.empty()) return {};
    const size_t each = (ranks.size() + row_limit_ - 1) / row_limit_;
    size_t number = 0;
    for (auto& [rank, times] : ranks) {
      if (number++ % each == 0) begin_row(rank);
      tiles_.rows.back().second = static_cast<uint32_t>(rank);
      add_rank(static_cast<uint32_t>(rank), &times);
      times = {};
    }
    finish_row();
    return std::move(tiles_);
  }

 private:
  void begin_row(int32_t rank) {
    if (!tiles_.rows.empty()) finish_row();
    tiles_.rows.push_back({static_cast<uint32_t>(rank), static_cast<uint32_t>(rank)});
    tiles_.cells.resize(tiles_.cells.size() + tiles_.columns);
    ranks_here_ = 0;
    for (auto* sums : {&busy_, &waiting_, &caused_, &known_}) sums->assign(tiles_.columns, 0);
  }

  // Adds to `sums` which share of each bucket the intervals cover.
  void cover(std::vector<Interval>* intervals, std::vector<double>* sums) const {
    unite(intervals);
    for (const Interval& one : *intervals) {
      for_buckets(one, [&](size_t column, int64_t overlap_ns) {
        (*sums)[column] += static_cast<double>(overlap_ns) / static_cast<double>(tiles_.bucket_ns);
      });
    }
  }

  template <typename Visit>
  void for_buckets(const Interval& interval, const Visit& visit) const {
    const int64_t from = std::clamp<int64_t>(interval.from_ns - span_.from_ns, 0, tiles_.to_ns);
    const int64_t to = std::clamp<int64_t>(interval.to_ns - span_.from_ns, 0, tiles_.to_ns);
    for (int64_t at = from / tiles_.bucket_ns; at * tiles_.bucket_ns < to; ++at) {
      const int64_t begin = at * tiles_.bucket_ns;
      visit(static_cast<size_t>(at),
            std::min(to, begin + tiles_.bucket_ns) - std::max(from, begin));
    }
  }

  void add_rank(uint32_t rank, RankTimes* times) {
    ++ranks_here_;
    TileCell* cells = &tiles_.cells[tiles_.cells.size() - tiles_.columns];
    for (const Interval& wait : times->waiting) {
      const int64_t us = std::min<int64_t>((wait.to_ns - wait.from_ns) / 1000, kNobody - 1);
      for_buckets(wait, [&](size_t column, int64_t) {
        cells[column].longest_wait_us =
            std::max(cells[column].longest_wait_us, static_cast<uint32_t>(us));
      });
    }
    cover(&times->busy, &busy_);
    cover(&times->waiting, &waiting_);
    std::vector<double> caused(tiles_.columns, 0), known(tiles_.columns, 0);
    cover(&times->caused, &caused);
    cover(&times->recorded, &known);
    for (size_t column = 0; column < tiles_.columns; ++column) {
      if (caused[column] > caused_[column]) {
        caused_[column] = caused[column];
        cells[column].worst_rank = rank;
      }
      if (known[column] > 0) {
        known_[column] += 1;
        if (times->lost) cells[column].flags |= kLostHere;
      }
    }
  }

  static uint16_t whole(double share) {
    return static_cast<uint16_t>(std::lround(std::min(1.0, share) * kWhole));
  }
  void finish_row() {
    TileCell* cells = &tiles_.cells[tiles_.cells.size() - tiles_.columns];
    for (size_t column = 0; column < tiles_.columns; ++column) {
      TileCell& cell = cells[column];
      cell.busy = whole(busy_[column] / ranks_here_);
      cell.waiting = whole(waiting_[column] / ranks_here_);
      cell.caused = whole(caused_[column]);
      if (known_[column] == 0) {
        cell.flags |= kNoDataHere;
      } else if (known_[column] < ranks_here_) {
        cell.flags |= kPartlyHere;
      }
    }
  }

  const RunTables& run_;
  const RunSpan span_;
  TileSet tiles_;
  size_t row_limit_ = 1;
  double ranks_here_ = 0;
  std::vector<double> busy_, waiting_, caused_, known_;  // of the row in hand, by column
};

template <typename Number>
void put(Number number, std::string* out) {
  for (size_t byte = 0; byte < sizeof(Number); ++byte)
    out->push_back(static_cast<char>(static_cast<uint64_t>(number) >> (8 * byte)));
}

}  // namespace

TileSet make_tiles(const RunTables& run, TileLimits limits) { return Tiler(run, limits).make(); }

std::string encode_tiles(const TileSet& tiles) {
  std::string out = "LKTILES1";
  out.reserve(64 + tiles.rows.size() * 8 + tiles.cells.size() * 16);
  put(static_cast<uint32_t>(tiles.rows.size()), &out);
  put(tiles.columns, &out);
  for (const int64_t ns : {tiles.from_ns, tiles.to_ns, tiles.bucket_ns}) put(ns, &out);
  out.append(24, '\0');
  for (const auto& [first, last] : tiles.rows) {
    put(first, &out);
    put(last, &out);
  }
  for (const TileCell& cell : tiles.cells) {
    for (const uint16_t half : {cell.busy, cell.waiting, cell.caused, cell.flags}) put(half, &out);
    put(cell.worst_rank, &out);
    put(cell.longest_wait_us, &out);
  }
  return out;
}

}  // namespace lockstep::analysis
