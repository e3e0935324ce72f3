#include "live/serve/tiles_answer.h"

#include "analysis/pyramid/row_groups.h"
#include "live/http/gate.h"
#include "live/http/packing.h"
#include "live/http/parameters.h"

namespace lockstep::serve {
namespace {

using analysis::TileRequest;

TileRequest request_of(Parameters* parameters, int64_t run_ns) {
  TileRequest tile;
  tile.from_ns = parameters->number("from", 0);
  tile.to_ns = parameters->number("to", run_ns);
  tile.ranks = parameters->ranks("ranks");
  tile.rows = static_cast<size_t>(parameters->number("rows", analysis::kMostTileRows));
  tile.columns = static_cast<size_t>(parameters->number("columns", analysis::kMostTileColumns));
  return tile;
}

// A part may lack ranks that did nothing in it.
analysis::Cells finer_cells(const RunPart& part, int32_t rank, const analysis::TileShape& at) {
  for (const analysis::Lane& lane : part.activity.lanes) {
    if (lane.rank == rank) return analysis::cells_of(lane, at.level, at.first, at.columns);
  }
  return analysis::Cells(at.columns);
}

}  // namespace

HttpResponse answer_tiles(const ServedRun& run, const HttpRequest& request) {
  Parameters parameters(request,
                        {"level", "bucket_ns", "from", "to", "ranks", "by", "rows", "columns"});
  TileRequest tile = request_of(&parameters, run.pyramid().length_ns());
  const std::string by = parameters.word("by", analysis::all_row_groups());
  const int64_t level = parameters.number("level", -1);
  const int64_t bucket_ns = parameters.number("bucket_ns", 0);
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  if (!analysis::set_row_group(by, run.summary().dimensions, &tile))
    return error_response(
        400, "by: no communicator of the run is known to be for " + by + " parallelism");
  tile.level = static_cast<int>(std::min<int64_t>(level, analysis::kLevels));
  if (parameters.given("bucket_ns")) tile.level = analysis::level_for(bucket_ns);
  const auto& lanes = run.pyramid().lanes();
  auto shape = analysis::shape_of(lanes, tile);
  if (!shape.ok()) return error_response(400, shape.message());
  RunPartPointer part;
  if (shape.value().level < run.pyramid().finest()) {
    auto read = run.part(shape.value().from_ns(), shape.value().to_ns());
    if (read.ok()) {
      part = std::move(read.value());
    } else {
      if (tile.level >= 0) return error_response(413, read.message());
      tile.level = run.pyramid().finest();  // who names no level gets the finest that can be had
      shape = analysis::shape_of(lanes, tile);
      if (!shape.ok()) return error_response(400, shape.message());
    }
  }
  const analysis::TileShape& at = shape.value();
  HttpResponse response;
  response.type = "application/octet-stream";
  response.body = analysis::tile_bytes(lanes, at, [&](size_t lane) {
    return part ? finer_cells(*part, lanes[lane].rank, at)
                : run.pyramid().cells(lane, at.level, at.first, at.columns);
  });
  pack(request, &response);
  return response;
}

}  // namespace lockstep::serve
