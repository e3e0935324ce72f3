#include "analysis/page/network_steps.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

// A span on the axis of one process.
struct AxisSpan {
  int64_t from_ns = 0, to_ns = 0;

  bool touches(int64_t start_ns, int64_t stop_ns) const {
    return start_ns < to_ns && (stop_ns == kNoTime || stop_ns >= from_ns);
  }
};

template <typename Row>
int64_t length_of_row(const Row& row) {
  return row.stop_ns == kNoTime ? std::numeric_limits<int64_t>::max() : row.stop_ns - row.start_ns;
}

// Those of `rows` that take longest, no more than `most`. Returns how many went.
template <typename Row>
uint64_t keep_longest(size_t most, std::vector<Row>* rows) {
  if (rows->size() <= most) return 0;
  const uint64_t dropped = rows->size() - most;
  std::nth_element(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(most), rows->end(),
                   [](const Row& a, const Row& b) { return length_of_row(a) > length_of_row(b); });
  rows->resize(most);
  return dropped;
}

// Keeps what touches the span of the process that is being read.
class Collector : public DetailSink {
 public:
  explicit Collector(size_t most) : most_(most) {}
  void begin(const AxisSpan& span) { span_ = span; }

  void event(const EventRow& row) override {
    if (row.kind == static_cast<uint8_t>(lockstep::Kind::ProxyOp))
      keep(row, &events, &events_left_out);
  }
  void proxy_step(const ProxyStepRow& row) override { keep(row, &steps, &steps_left_out); }

  void end() {
    events_left_out += keep_longest(most_, &events);
    steps_left_out += keep_longest(most_, &steps);
  }

  std::vector<EventRow> events;
  std::vector<ProxyStepRow> steps;
  uint64_t events_left_out = 0, steps_left_out = 0;

 private:
  template <typename Row>
  void keep(const Row& row, std::vector<Row>* rows, uint64_t* left_out) {
    if (row.start_ns == kNoTime || !span_.touches(row.start_ns, row.stop_ns)) return;
    rows->push_back(row);
    if (rows->size() > 2 * most_) *left_out += keep_longest(most_, rows);
  }

  size_t most_;
  AxisSpan span_;
};

class Finder {
 public:
  Finder(const ExportInput& input, const RunTime& time, const NetworkQuestion& question)
      : input_(input),
        run_(*input.run),
        time_(time),
        question_(question),
        collector_(question.most),
        reads_(run_.processes.size()),
        numbers_(run_.processes.size()) {}

  Result<NetworkSteps> find() {
    find_spans();
    for (uint32_t process = 0; process < run_.processes.size(); ++process) {
      if (!question_.wants_rank(run_.processes[process].rank)) continue;
      note_kinds(run_.processes[process].kinds);
      collector_.begin(asked(process));
      const AxisSpan& read = reads_[process];
      const Status done = input_.stream_between(process, read.from_ns, read.to_ns, &collector_);
      if (!done.ok()) return done;
    }
    collector_.end();
    found_.operations_left_out = collector_.events_left_out;
    found_.steps_left_out = collector_.steps_left_out;
    put_operations();
    put_steps();
    return std::move(found_);
  }

 private:
  using ById = std::unordered_map<uint64_t, uint32_t>;  // row numbers by event id

  AxisSpan asked(uint32_t process) const {
    const int64_t ahead_ns = time_.at(process, 0);  // of the process's axis
    return {question_.from_ns - ahead_ns, question_.to_ns - ahead_ns};
  }

  // What has to be read of each process, and the operations that its network operations may work for.
  void find_spans() {
    for (uint32_t process = 0; process < reads_.size(); ++process) reads_[process] = asked(process);
    for (uint32_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      if (row.state == OpState::Captured || row.called_ns() == kNoTime ||
          !question_.wants_rank(run_.processes[row.process].rank))
        continue;
      const AxisSpan span = asked(row.process);
      if (!span.touches(row.called_ns(), row.finish_ns)) continue;
      numbers_[row.process].emplace(row.event_id, row.assembled == kNoRow ? i : row.assembled);
      AxisSpan& read = reads_[row.process];
      read.from_ns =
          std::min(read.from_ns, std::max(row.called_ns(), span.from_ns - kMostAroundStepsNs));
      const int64_t end_ns =
          row.finish_ns == kNoTime ? std::numeric_limits<int64_t>::max() : row.finish_ns;
      read.to_ns = std::max(read.to_ns, std::min(end_ns, span.to_ns + kMostAroundStepsNs));
    }
  }

  void note_kinds(uint64_t kinds) {
    const auto recorded = [kinds](lockstep::Kind kind) {
      return (kinds >> static_cast<unsigned>(kind) & 1u) != 0;
    };
    found_.operations_recorded = found_.operations_recorded && recorded(lockstep::Kind::ProxyOp);
    found_.steps_recorded = found_.steps_recorded && recorded(lockstep::Kind::ProxyStep);
  }

  int32_t rank_of(uint32_t process) const { return run_.processes[process].rank; }

  void put_operations() {
    std::vector<EventRow>& events = collector_.events;
    const auto place = [this](const EventRow& row) {
      return std::make_tuple(rank_of(row.process), row.channel, row.is_send == 0, row.start_ns,
                             row.event_id);
    };
    std::sort(events.begin(), events.end(),
              [&](const EventRow& a, const EventRow& b) { return place(a) < place(b); });
    places_.resize(run_.processes.size());
    for (const EventRow& event : events) {
      const ById& known = numbers_[event.process];
      const auto number = known.find(event.parent_id);
      places_[event.process].emplace(event.event_id,
                                     static_cast<uint32_t>(found_.operations.size()));
      found_.operations.push_back({event, number == known.end() ? kNoRow : number->second});
    }
  }

  void put_steps() {
    for (const ProxyStepRow& row : collector_.steps) {
      const ById& known = places_[row.process];
      const auto place = known.find(row.proxy_op_id);
      if (place == known.end()) {
        ++found_.steps_left_out;
      } else {
        found_.steps.push_back({place->second, row});
      }
    }
    const auto place = [](const NetworkStep& step) {
      return std::make_tuple(step.network_operation, step.row.start_ns, step.row.event_id);
    };
    std::sort(found_.steps.begin(), found_.steps.end(),
              [&](const NetworkStep& a, const NetworkStep& b) { return place(a) < place(b); });
  }

  const ExportInput& input_;
  const RunTables& run_;
  const RunTime& time_;
  const NetworkQuestion& question_;
  Collector collector_;
  std::vector<AxisSpan> reads_;  // by process
  std::vector<ById> numbers_;    // by process: rows of operations
  std::vector<ById> places_;     // by process: where its network operations are in the answer
  NetworkSteps found_;
};

}  // namespace

Result<NetworkSteps> find_network_steps(const ExportInput& input, const RunTime& time,
                                        const NetworkQuestion& question) {
  return Finder(input, time, question).find();
}

}  // namespace lockstep::analysis
