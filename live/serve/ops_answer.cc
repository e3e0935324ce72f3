#include "live/serve/ops_answer.h"

#include <algorithm>

#include "analysis/page/operation_lines.h"
#include "base/json.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"

namespace lockstep::serve {
namespace {

using analysis::kNoRow;
using analysis::kNoTime;
using analysis::OperationRow;
using analysis::RunTables;

struct Chosen {
  NumberRanges ranks;
  int64_t from_ns = 0, to_ns = 0;
  size_t most = 0;
};

class OpsWriter {
 public:
  OpsWriter(const RunPart& part, const Chosen& chosen)
      : part_(part),
        tables_(*part.tables),
        time_(part.time()),
        lines_(tables_, time_),
        chosen_(chosen) {}

  std::string write() {
    out_.object([&] {
      analysis::OperationLines::put_columns(&out_);
      put_key(&out_.writer(), "rows");
      out_.writer().StartArray();
      for (uint32_t i = 0; i < tables_.operations.size() && !truncated_; ++i) {
        if (is_wanted(tables_.operations[i])) put(i);
      }
      out_.writer().EndArray();
      out_.boolean("truncated", truncated_);
    });
    return std::string(out_.text()) + "\n";
  }

 private:
  // The sends and receives of an assembled operation go by that operation.
  bool is_wanted(const OperationRow& row) const {
    if (row.state == analysis::OpState::Captured || row.assembled != kNoRow) return false;
    const int32_t rank = tables_.processes[row.process].rank;
    if (rank < 0 || !is_within(chosen_.ranks, rank)) return false;
    const int64_t start_ns = time_.at(row.process, row.called_ns());
    if (start_ns == kNoTime || start_ns >= chosen_.to_ns) return false;
    const int64_t end_ns = time_.at(row.process, row.finish_ns);
    const bool open = end_ns == kNoTime && row.state == analysis::OpState::InFlight;
    return open || std::max(start_ns, end_ns) >= chosen_.from_ns;
  }

  void put(uint32_t number) {
    if (rows_ == chosen_.most) {
      truncated_ = true;
      return;
    }
    ++rows_;
    lines_.put(number, part_.arrivals[number], &out_);
  }

  const RunPart& part_;
  const RunTables& tables_;
  const analysis::RunTime time_;
  const analysis::OperationLines lines_;
  const Chosen& chosen_;
  JsonFields out_;
  size_t rows_ = 0;
  bool truncated_ = false;
};

size_t count_of(const ServedRun& run, const NumberRanges& ranks) {
  const auto& lanes = run.pyramid().lanes();
  return static_cast<size_t>(
      std::count_if(lanes.begin(), lanes.end(),
                    [&](const analysis::LaneFacts& lane) { return is_within(ranks, lane.rank); }));
}

}  // namespace

HttpResponse answer_ops(const ServedRun& run, const HttpRequest& request) {
  Parameters parameters(request, {"ranks", "from", "to", "limit"});
  Chosen chosen;
  chosen.ranks = parameters.ranks("ranks");
  chosen.from_ns = parameters.number("from", 0);
  chosen.to_ns = parameters.number("to", run.pyramid().length_ns() + 1);
  const int64_t limit = parameters.number("limit", kMostOps);
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  if (chosen.ranks.empty()) return error_response(400, "ranks: which ones, at most 16: 0-3,8");
  if (count_of(run, chosen.ranks) > kMostOpsRanks)
    return error_response(413, "ranks: at most " + std::to_string(kMostOpsRanks) + " at a time");
  if (limit < 1 || limit > static_cast<int64_t>(kMostOps))
    return error_response(400, "limit: from 1 to " + std::to_string(kMostOps));
  chosen.most = static_cast<size_t>(limit);
  const auto part = run.part(chosen.from_ns, chosen.to_ns);
  if (!part.ok()) return error_response(413, part.message());
  HttpResponse response;
  response.body = OpsWriter(*part.value(), chosen).write();
  return response;
}

}  // namespace lockstep::serve
