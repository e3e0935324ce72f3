#include "analysis/page/whole_run.h"

#include <algorithm>

#include "analysis/pyramid/row_groups.h"

namespace lockstep::analysis {

int64_t length_of(const RunTables& run, const RunTime& time) {
  int64_t length_ns = 0;
  for (uint32_t process = 0; process < run.processes.size(); ++process) {
    const ProcessRow& row = run.processes[process];
    if (row.first_ns == kNoTime) continue;
    length_ns = std::max(length_ns, time.at(process, std::max(row.last_ns, row.heard_ns)));
  }
  return length_ns;
}

WholeTiles tiles_of(const RunTables& run, const RunTime& time) {
  constexpr size_t kTileColumns = 512;
  const Activity activity = activity_of(run, time);
  const std::vector<LaneFacts> lanes(activity.lanes.begin(), activity.lanes.end());
  const Dimensions dimensions = dimensions_of(run);
  WholeTiles tiles;
  for (const std::string& group : row_groups(lanes, dimensions)) {
    TileRequest whole;
    whole.to_ns = std::max<int64_t>(1, length_of(run, time));
    whole.columns = kTileColumns;
    set_row_group(group, dimensions, &whole);
    const auto shape = shape_of(lanes, whole);
    if (!shape.ok()) return {};  // no rank is known
    const TileShape& at = shape.value();
    tiles.emplace_back(group, tile_bytes(lanes, at, [&](size_t lane) {
                         return cells_of(activity.lanes[lane], at.level, at.first, at.columns);
                       }));
  }
  return tiles;
}

}  // namespace lockstep::analysis
