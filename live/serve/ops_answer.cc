#include "live/serve/ops_answer.h"

#include <algorithm>
#include <limits>
#include <vector>

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
  bool longest = false;  // of too many those that never ended and the longest waits, not the first
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
      const size_t wanted = choose();
      for (const uint32_t number : numbers_) lines_.put(number, part_.arrivals[number], &out_);
      out_.writer().EndArray();
      out_.boolean("truncated", wanted > numbers_.size());
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

  // Returns how many there are.
  size_t choose() {
    for (uint32_t i = 0; i < tables_.operations.size(); ++i) {
      if (is_wanted(tables_.operations[i])) numbers_.push_back(i);
    }
    const size_t wanted = numbers_.size();
    if (wanted <= chosen_.most) return wanted;
    const auto end = numbers_.begin() + static_cast<std::ptrdiff_t>(chosen_.most);
    if (chosen_.longest) {
      std::nth_element(numbers_.begin(), end, numbers_.end(),
                       [&](uint32_t a, uint32_t b) { return cost_of(a) > cost_of(b); });
      std::sort(numbers_.begin(), end);
    }
    numbers_.erase(end, numbers_.end());
    return wanted;
  }

  int64_t cost_of(uint32_t number) const {
    const analysis::OpState state = tables_.operations[number].state;
    if (state == analysis::OpState::InFlight || state == analysis::OpState::Aborted)
      return std::numeric_limits<int64_t>::max();
    const uint32_t arrival = part_.arrivals[number];
    return arrival == kNoRow ? kNoTime : tables_.arrivals[arrival].wait_ns;
  }

  const RunPart& part_;
  const RunTables& tables_;
  const analysis::RunTime time_;
  const analysis::OperationLines lines_;
  const Chosen& chosen_;
  JsonFields out_;
  std::vector<uint32_t> numbers_;  // rows of operations
};

size_t count_of(const ServedRun& run, const NumberRanges& ranks) {
  const auto& lanes = run.pyramid().lanes();
  return static_cast<size_t>(
      std::count_if(lanes.begin(), lanes.end(),
                    [&](const analysis::LaneFacts& lane) { return is_within(ranks, lane.rank); }));
}

}  // namespace

HttpResponse answer_ops(const ServedRun& run, const HttpRequest& request) {
  Parameters parameters(request, {"ranks", "from", "to", "limit", "choose"});
  Chosen chosen;
  chosen.ranks = parameters.ranks("ranks");
  chosen.from_ns = parameters.number("from", 0);
  chosen.to_ns = parameters.number("to", run.pyramid().length_ns() + 1);
  const int64_t limit = parameters.number("limit", kMostOps);
  chosen.longest = parameters.word("choose", {"first", "longest"}) == "longest";
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
