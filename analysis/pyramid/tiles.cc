#include "analysis/pyramid/tiles.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/json.h"

namespace lockstep::analysis {
namespace {

constexpr char kMagic[8] = {'L', 'K', 'T', 'I', 'L', 'E', 'S', '1'};
constexpr size_t kReservedBytes = 20;
enum Flag : uint16_t { kNoData = 1, kLost = 2, kPartly = 4 };
constexpr uint32_t kNobody = 0xFFFFFFFF;

template <class Number>
void put(Number number, std::string* out) {
  // All machines that lockstep is built for are little endian.
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof(Number));
  out->append(bytes, sizeof(Number));
}

void add_lane(const LaneFacts& lane, size_t number, TileRow* row) {
  row->first_rank = row->lanes.empty() ? lane.rank : std::min(row->first_rank, lane.rank);
  row->last_rank = std::max(row->last_rank, lane.rank);
  row->lanes.push_back(number);
}

// Neighbours together, so that no more rows are left than asked for.
std::vector<TileRow> rows_of_ranks(const std::vector<LaneFacts>& lanes,
                                   const std::vector<size_t>& chosen, size_t most) {
  const size_t together = (chosen.size() + most - 1) / most;
  std::vector<TileRow> rows;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (i % together == 0) rows.emplace_back();
    add_lane(lanes[chosen[i]], chosen[i], &rows.back());
  }
  return rows;
}

// One for each host or communicator, in the order of their first ranks; those beyond the last row are
// left out.
std::vector<TileRow> rows_of_groups(const std::vector<LaneFacts>& lanes,
                                    const std::vector<size_t>& chosen, const TileRequest& request) {
  std::map<std::string, size_t> numbers;
  std::vector<TileRow> rows;
  const auto add = [&](const std::string& group, size_t lane) {
    const auto [found, is_new] = numbers.emplace(group, rows.size());
    if (is_new) rows.emplace_back().label = group;
    add_lane(lanes[lane], lane, &rows[found->second]);
  };
  for (const size_t lane : chosen) {
    if (request.by == TileRows::Hosts) {
      add(lanes[lane].host, lane);
      continue;
    }
    for (const std::string& communicator : lanes[lane].communicators) {
      if (request.communicators.empty() || request.communicators.count(communicator) != 0)
        add(communicator, lane);
    }
  }
  rows.resize(std::min(rows.size(), request.rows));
  return rows;
}

int64_t overlap_ns(const TimeSpans& spans, int64_t from_ns, int64_t to_ns) {
  int64_t sum_ns = 0;
  for (const TimeSpan& span : spans)
    sum_ns += std::max<int64_t>(0, std::min(span.to_ns, to_ns) - std::max(span.from_ns, from_ns));
  return sum_ns;
}

uint16_t flags_of(const std::vector<LaneFacts>& lanes, const TileRow& row, int64_t from_ns,
                  int64_t to_ns) {
  bool any = false, all = true, lost = false;
  for (const size_t number : row.lanes) {
    const LaneFacts& lane = lanes[number];
    const int64_t recorded_ns = overlap_ns(lane.recorded, from_ns, to_ns);
    any = any || recorded_ns != 0;
    all = all && recorded_ns == to_ns - from_ns;
    lost = lost || (lane.lost && recorded_ns != 0);
  }
  return static_cast<uint16_t>((any ? 0 : kNoData) | (lost ? kLost : 0) |
                               (any && !all ? kPartly : 0));
}

// Of one row, column by column.
void put_row(const std::vector<LaneFacts>& lanes, const TileShape& shape, const TileRow& row,
             const std::vector<Cells>& cells, std::string* out) {
  const int64_t length_ns = bucket_ns(shape.level);
  const auto count = static_cast<uint64_t>(row.lanes.size());
  const auto mean = [&](uint64_t sum) { return static_cast<uint16_t>((sum + count / 2) / count); };
  for (size_t column = 0; column < shape.columns; ++column) {
    uint64_t busy = 0, waiting = 0;
    uint16_t caused = 0;
    uint32_t worst_rank = kNobody, longest_us = 0;
    for (size_t i = 0; i < row.lanes.size(); ++i) {
      const Cell& cell = cells[i][column];
      busy += cell.busy;
      waiting += cell.waiting;
      longest_us = std::max(longest_us, cell.longest_wait_us);
      if (cell.caused <= caused) continue;
      caused = cell.caused;
      worst_rank = static_cast<uint32_t>(lanes[row.lanes[i]].rank);
    }
    const int64_t from_ns = shape.from_ns() + static_cast<int64_t>(column) * length_ns;
    put(mean(busy), out);
    put(mean(waiting), out);
    put(caused, out);
    put(flags_of(lanes, row, from_ns, from_ns + length_ns), out);
    put(worst_rank, out);
    put(longest_us, out);
  }
}

int64_t floor_bucket(int64_t ns, int64_t length_ns) {
  return ns / length_ns - (ns % length_ns < 0 ? 1 : 0);
}

size_t columns_at(int level, int64_t from_ns, int64_t to_ns) {
  const int64_t length_ns = bucket_ns(level);
  return static_cast<size_t>(floor_bucket(to_ns - 1, length_ns) - floor_bucket(from_ns, length_ns) +
                             1);
}

// A JSON array of the rows' labels; empty where rows are ranks.
std::string labels_of(const TileShape& shape) {
  if (shape.rows.empty() || shape.rows.front().label.empty()) return {};
  JsonFields out;
  out.writer().StartArray();
  for (const TileRow& row : shape.rows) out.element(row.label);
  out.writer().EndArray();
  return std::string(out.text());
}

}  // namespace

Result<TileShape> shape_of(const std::vector<LaneFacts>& lanes, const TileRequest& request) {
  if (request.rows == 0 || request.rows > kMostTileRows)
    return Status::error("rows: from 1 to " + std::to_string(kMostTileRows));
  if (request.columns == 0 || request.columns > kMostTileColumns)
    return Status::error("columns: from 1 to " + std::to_string(kMostTileColumns));
  constexpr int64_t kMostNs = int64_t{1} << 60;  // 36 years: sums of two stay within 64 bits
  if (request.from_ns >= request.to_ns || request.from_ns < -kMostNs || request.to_ns > kMostNs)
    return Status::error("from and to: run times in ns, from before to");
  if (request.level >= kLevels)
    return Status::error("level: from 0 (1 us) to " + std::to_string(kLevels - 1));
  TileShape shape;
  shape.level = std::max(request.level, 0);
  while (request.level < 0 && shape.level + 1 < kLevels &&
         columns_at(shape.level, request.from_ns, request.to_ns) > request.columns)
    ++shape.level;
  shape.first = floor_bucket(request.from_ns, bucket_ns(shape.level));
  shape.columns = columns_at(shape.level, request.from_ns, request.to_ns);
  if (shape.columns > request.columns)
    return Status::error(std::to_string(shape.columns) + " columns of this level; at most " +
                         std::to_string(request.columns) +
                         ": ask for a shorter time or a higher "
                         "level");
  std::vector<size_t> chosen;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (request.ranks.empty() || is_within(request.ranks, lanes[i].rank)) chosen.push_back(i);
  }
  if (chosen.empty()) return Status::error("ranks: none of these is in the run");
  shape.rows = request.by == TileRows::Ranks ? rows_of_ranks(lanes, chosen, request.rows)
                                             : rows_of_groups(lanes, chosen, request);
  return shape;
}

std::string tile_bytes(const std::vector<LaneFacts>& lanes, const TileShape& shape,
                       const std::function<Cells(size_t lane)>& cells) {
  const std::string labels = labels_of(shape);
  std::string out(kMagic, sizeof(kMagic));
  put(static_cast<uint32_t>(shape.rows.size()), &out);
  put(static_cast<uint32_t>(shape.columns), &out);
  put(shape.from_ns(), &out);
  put(shape.to_ns(), &out);
  put(bucket_ns(shape.level), &out);
  put(static_cast<uint32_t>(labels.size()), &out);
  out.append(kReservedBytes, '\0');
  for (const TileRow& row : shape.rows) {
    put(static_cast<uint32_t>(row.first_rank), &out);
    put(static_cast<uint32_t>(row.last_rank), &out);
  }
  for (const TileRow& row : shape.rows) {
    std::vector<Cells> of_row;
    for (const size_t lane : row.lanes) of_row.push_back(cells(lane));
    put_row(lanes, shape, row, of_row, &out);
  }
  return out + labels;
}

}  // namespace lockstep::analysis
