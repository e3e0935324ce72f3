#include "analysis/page/moments.h"

#include <algorithm>
#include <vector>

#include "analysis/tables/labels.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

constexpr const char* kColumns[] = {"rank",     "comm",    "func",        "ordinal", "start_ns",
                                    "end_ns",   "wait_ns", "transfer_ns", "bytes",   "last_rank",
                                    "error_ns", "state",   "id"};

class Moments {
 public:
  Moments(const RunTables& run, const RunTime& time) : run_(run), time_(time) {}

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
      out.list("columns", kColumns, [&](const char* name) { out.element(name); });
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

  void number(int64_t value, JsonFields* out) const {
    if (value == kNoTime) {
      out->writer().Null();
    } else {
      out->writer().Int64(value);
    }
  }

  void put(uint32_t at, JsonFields* out) const {
    const ArrivalRow& row = run_.arrivals[at];
    const OperationRow& op = run_.operations[row.operation];
    JsonWriter& writer = out->writer();
    writer.StartArray();
    writer.Int(run_.processes[op.process].rank);
    out->element(communicator_label(run_, op.communicator));
    out->element(run_.text(op.func));
    writer.Uint(op.ordinal);
    number(time_.at(op.process, row.arrival_ns != kNoTime ? row.arrival_ns : op.called_ns()), out);
    number(time_.at(op.process, op.finish_ns), out);
    number(row.wait_ns, out);
    number(row.transfer_ns, out);
    writer.Uint64(op.size_bytes);
    writer.Int(last_of(row));
    number(row.clock_error_ns, out);
    out->element(kOpStateNames[static_cast<size_t>(op.state)]);
    writer.Uint(row.operation);
    writer.EndArray();
  }
  int32_t last_of(const ArrivalRow& row) const {
    if (row.last_rank_row >= run_.arrivals.size()) return -1;
    const uint32_t operation = run_.arrivals[row.last_rank_row].operation;
    return operation < run_.operations.size()
               ? run_.processes[run_.operations[operation].process].rank
               : -1;
  }

  const RunTables& run_;
  const RunTime& time_;
  std::vector<uint32_t> order_;  // rows of matches
};

}  // namespace

std::string slowest_moments(const RunTables& run, const RunTime& time, size_t budget_bytes) {
  return Moments(run, time).json(budget_bytes);
}

}  // namespace lockstep::analysis
