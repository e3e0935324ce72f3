#include "analysis/page/moments.h"

#include <algorithm>
#include <vector>

#include "analysis/page/operation_lines.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

class Moments {
 public:
  Moments(const RunTables& run, const RunTime& time) : run_(run), lines_(run, time) {}

  std::string json(size_t budget_bytes) {
    for (size_t i = 0; i < run_.matches.size(); ++i)
      if (run_.matches[i].arrivals != 0) order_.push_back(static_cast<uint32_t>(i));
    std::vector<int64_t> cost(run_.matches.size());
    for (const uint32_t match : order_) cost[match] = cost_of(run_.matches[match]);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return cost[a] > cost[b]; });
    JsonFields out;
    // What fits is found by writing it once; then it is written in the order of time.
    size_t taken = 0;
    for (size_t bytes = 0; taken < order_.size(); ++taken) {
      out.reset();
      out.object([&] { out.list("", of(order_[taken]), [&](uint32_t row) { put(row, &out); }); });
      bytes += out.text().size();
      if (bytes > budget_bytes) break;
    }
    const bool truncated = taken < order_.size();
    order_.resize(taken);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return run_.matches[a].start_ns < run_.matches[b].start_ns;
    });
    out.reset();
    out.object([&] {
      OperationLines::put_columns(&out);
      out.list("rows", order_, [&](uint32_t match) {
        for (const uint32_t row : of(match)) put(row, &out);
      });
      out.boolean("truncated", truncated);
    });
    return std::string(out.text());
  }

 private:
  std::vector<uint32_t> of(uint32_t match) const {
    std::vector<uint32_t> rows;
    for (uint32_t n = 0; n < run_.matches[match].arrivals; ++n) {
      const uint32_t row = run_.matches[match].first_arrival + n;
      if (row < run_.arrivals.size() && run_.arrivals[row].operation < run_.operations.size())
        rows.push_back(row);
    }
    return rows;
  }

  // What never ended comes before all others.
  int64_t cost_of(const MatchRow& match) const {
    int64_t waited = 0;
    for (uint32_t n = 0; n < match.arrivals; ++n) {
      const ArrivalRow& row = run_.arrivals[match.first_arrival + n];
      if (row.operation >= run_.operations.size()) continue;
      const OpState state = run_.operations[row.operation].state;
      if (state == OpState::InFlight || state == OpState::Aborted)
        return std::numeric_limits<int64_t>::max();
      if (row.wait_ns != kNoTime) waited = std::max(waited, row.wait_ns);
    }
    return waited;
  }

  void put(uint32_t arrival, JsonFields* out) const {
    lines_.put(run_.arrivals[arrival].operation, arrival, out);
  }

  const RunTables& run_;
  const OperationLines lines_;
  std::vector<uint32_t> order_;  // rows of matches
};

}  // namespace

std::string slowest_moments(const RunTables& run, const RunTime& time, size_t budget_bytes) {
  return Moments(run, time).json(budget_bytes);
}

}  // namespace lockstep::analysis
