#include "analysis/export/timeline.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "analysis/export/clock_counters.h"
#include "analysis/export/counters.h"
#include "analysis/export/export_files.h"
#include "analysis/export/lanes.h"
#include "analysis/export/operation_slices.h"
#include "analysis/export/process_ids.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

// Details arrive about in the order of their stop; this many are sorted by start before they get
// their tracks. One that is later still gets a track of its own.
constexpr size_t kWindow = 1u << 15;

enum class Row : uint8_t {
  Operations,
  Calls,
  Kernels,
  CopyEngine,
  ProxyOps,
  Send,
  Receive,
  Proxy,
  Network,
  InFlight,
  Bandwidth,
  Steps,
  Ranges,
  Logs
};
constexpr const char* kRowNames[] = {"operations",       "calls",
                                     "kernels",          "copy engine",
                                     "proxy operations", "network send",
                                     "network receive",  "proxy thread",
                                     "network plugin",   "operations in flight",
                                     "bus bandwidth",    "steps",
                                     "ranges",           "logs"};
struct Group {
  uint32_t process;
  Row row;
  uint32_t communicator, part;  // part: thread or channel, whichever the row has
  bool operator<(const Group& other) const {
    return std::tie(process, row, communicator, part) <
           std::tie(other.process, other.row, other.communicator, other.part);
  }
};

struct Pending {  // a detail that waits for its track
  int64_t start_ns, stop_ns;
  Group group;
  bool is_step;
  EventRow event;
  ProxyStepRow step;
  bool operator<(const Pending& other) const { return start_ns > other.start_ns; }  // least first
};

class Drawing : public DetailSink {
 public:
  Drawing(const RunTables& run, TimelineSink* sink, TimelineCounts* counts)
      : run_(run), sink_(sink), counts_(counts), lanes_(1) {}

  void operations(const OperationSpans& spans, OperationNotes* notes);
  void steps();
  void ranges();
  void logs();
  void clocks();
  void counters(Row row, CounterUnit unit, const std::vector<CounterStep>& steps);
  void event(const EventRow& row) override;
  void proxy_step(const ProxyStepRow& row) override;
  void thread(uint32_t tid, const std::string& name) override { threads_[tid] = name; }
  void end_process() {
    flush(0);
    threads_.clear();
  }

 private:
  void draw_mark(const Group& group, int64_t start_ns, int64_t stop_ns, const char* category);
  void meet_flow(uint32_t operation, const OperationNotes& notes, Slice* slice);
  void flush(size_t keep);
  uint32_t track_for(const Group& group, int64_t start_ns, int64_t stop_ns);
  void draw(const Pending& pending);
  void describe_event(const EventRow& event, const char* kind);
  void describe_step(const ProxyStepRow& step);
  void push(const Pending& pending);
  std::string track_name(const Group& group, uint32_t lane) const;

  const RunTables& run_;
  TimelineSink* sink_;
  TimelineCounts* counts_;
  Lanes<Group> lanes_;
  std::priority_queue<Pending> window_;
  std::map<uint32_t, std::string> threads_;  // names by id, of the process that is streamed
  std::string name_;  // of the slice being drawn, kept for its memory; likewise its notes
  std::vector<SliceNote> notes_;
};

std::string Drawing::track_name(const Group& group, uint32_t lane) const {
  std::string name = kRowNames[static_cast<size_t>(group.row)];
  if (group.communicator != kNoRow) name += " " + communicator_label(run_, group.communicator);
  const bool by_channel =
      group.row == Row::Kernels || group.row == Row::Send || group.row == Row::Receive;
  if (by_channel) name += " channel " + std::to_string(group.part);
  if (!by_channel && group.row != Row::Operations && group.row != Row::Steps) {
    name += " thread " + std::to_string(group.part);
    const auto thread = threads_.find(group.part);
    if (thread != threads_.end() && !thread->second.empty()) name += " (" + thread->second + ")";
  }
  return lane == 0 ? name : name + " (" + std::to_string(lane + 1) + ")";
}

uint32_t Drawing::track_for(const Group& group, int64_t start_ns, int64_t stop_ns) {
  const auto place = lanes_.place(group, start_ns, stop_ns == kNoTime ? kForever : stop_ns);
  if (place.is_new) sink_->track(place.track, group.process, track_name(group, place.lane));
  return place.track;
}

void Drawing::operations(const OperationSpans& spans, OperationNotes* notes) {
  std::vector<std::pair<OperationSpan, uint32_t>> order;
  order.reserve(run_.operations.size());
  for (uint32_t i = 0; i < run_.operations.size(); ++i) {
    OperationSpan span = spans.of(run_.operations[i]);
    if (span.start_ns == kNoTime) {  // kept all the same, where its process began
      const ProcessRow& process = run_.processes[run_.operations[i].process];
      span.start_ns = span.stop_ns = process.first_ns == kNoTime ? 0 : process.first_ns;
      ++counts_->untimed;
    }
    order.emplace_back(span, i);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first.start_ns < b.first.start_ns;
  });
  for (const auto& [span, row] : order) {
    const OperationRow& operation = run_.operations[row];
    const std::vector<SliceNote>& list = notes->of(row);
    Slice slice;
    slice.track = track_for({operation.process, Row::Operations, operation.communicator, 0},
                            span.start_ns, span.stop_ns);
    slice.start_ns = span.start_ns;
    slice.stop_ns = span.stop_ns;
    slice.name = run_.text(operation.func);
    if (slice.name.empty()) slice.name = kOpKindNames[static_cast<size_t>(operation.kind)];
    slice.category = "operation";
    slice.notes = list.data();
    slice.note_count = list.size();
    const int64_t transfer_ns = notes->transfer_start_ns(row);
    if (transfer_ns == kNoTime) meet_flow(row, *notes, &slice);
    sink_->slice(slice);
    ++counts_->operations;
    ++counts_->slices;
    if (transfer_ns == kNoTime) continue;
    Slice transfer;  // within the receive, on its track
    transfer.track = slice.track;
    transfer.start_ns = transfer_ns;
    transfer.stop_ns = slice.stop_ns;
    transfer.name = transfer.category = "transfer";
    meet_flow(row, *notes, &transfer);
    sink_->slice(transfer);
    ++counts_->slices;
  }
}

void Drawing::meet_flow(uint32_t operation, const OperationNotes& notes, Slice* slice) {
  slice->flow = notes.flow_of(operation);
  slice->flow_ends = notes.ends_flow(operation);
  counts_->flows += slice->flow_ends;
}

// One track for each process that marked its steps; a step that began before the recording begins with it.
void Drawing::steps() {
  for (const MarkedStepRow& row : run_.rank_steps) {
    const Group group{row.process, Row::Steps, kNoRow, 0};
    const int64_t start_ns =
        row.start_ns != kNoTime ? row.start_ns : run_.processes[row.process].first_ns;
    name_ = "step " + std::to_string(row.step);
    draw_mark(group, start_ns, row.finish_ns, "step");
  }
}

// Those of a thread on tracks of its own, one for each depth.
void Drawing::ranges() {
  for (const RangeRow& row : run_.ranges) {
    const Group group{row.process, Row::Ranges, kNoRow, row.tid};
    const int64_t start_ns =
        row.start_ns != kNoTime ? row.start_ns : run_.processes[row.process].first_ns;
    name_ =
        row.domain != 0 ? run_.text(row.domain) + ": " + run_.text(row.text) : run_.text(row.text);
    if (name_.empty()) name_ = kRangeKindNames[static_cast<size_t>(row.kind)];
    draw_mark(group, start_ns, row.finish_ns, "range");
  }
}

// Moments on a track of the process of the rank that a line names, else of the first process.
void Drawing::logs() {
  std::map<int32_t, uint32_t> process_of;
  for (uint32_t i = 0; i < run_.processes.size(); ++i)
    process_of.emplace(run_.processes[i].rank, i);
  for (const LogRow& row : run_.log_lines) {
    const auto named = row.rank < 0 ? process_of.end() : process_of.find(row.rank);
    const uint32_t process = named == process_of.end() ? 0 : named->second;
    name_ = run_.text(row.text);
    draw_mark({process, Row::Logs, kNoRow, row.file}, row.at_ns, row.at_ns,
              kLogLevelNames[static_cast<size_t>(row.level)]);
  }
}

void Drawing::draw_mark(const Group& group, int64_t start_ns, int64_t stop_ns,
                        const char* category) {
  Slice slice;
  slice.track = track_for(group, start_ns, stop_ns);
  slice.start_ns = start_ns;
  slice.stop_ns = stop_ns;
  slice.name = name_;
  slice.category = category;
  sink_->slice(slice);
  ++counts_->slices;
}

// Tracks of each host that has a clock model.
void Drawing::clocks() {
  uint32_t part = 0;
  for (const ClockCounter& counter : clock_counters(run_, bounds_of(run_))) {
    const auto place = lanes_.place({kNoRow, Row::Operations, counter.host, part++}, 0, kForever);
    sink_->counter_track(place.track, kNoRow, counter.name, counter.unit);
    for (const auto& [at_ns, value] : counter.points) {
      sink_->counter(place.track, at_ns, value);
      ++counts_->counters;
    }
  }
}

// One track per process.
void Drawing::counters(Row row, CounterUnit unit, const std::vector<CounterStep>& steps) {
  uint32_t process = kNoRow, track = 0;
  for (const CounterStep& step : steps) {
    if (step.process != process) {
      process = step.process;
      track = lanes_.place({process, row, kNoRow, 0}, 0, kForever).track;
      sink_->counter_track(track, process, kRowNames[static_cast<size_t>(row)], unit);
    }
    sink_->counter(track, step.at_ns, step.value);
    ++counts_->counters;
  }
}

Row row_of(Kind kind) {
  switch (kind) {
    case Kind::KernelCh:
    case Kind::KernelPhase:
      return Row::Kernels;
    case Kind::ProxyOp:
      return Row::ProxyOps;
    case Kind::ProxyCtrl:
      return Row::Proxy;
    case Kind::NetPlugin:
      return Row::Network;
    case Kind::CeSync:
    case Kind::CeBatch:
      return Row::CopyEngine;
    default:
      return Row::Calls;
  }
}

void Drawing::event(const EventRow& row) {
  const auto kind = static_cast<Kind>(row.kind);
  // Drawn from `operations` and from `proxy_steps`, which know more.
  if (kind == Kind::Coll || kind == Kind::P2p || kind == Kind::CeColl || kind == Kind::ProxyStep)
    return;
  const int64_t start_ns = row.start_ns != kNoTime ? row.start_ns : row.stop_ns;
  if (start_ns == kNoTime) return;
  const Row tracks = row_of(kind);
  const bool by_channel = tracks == Row::Kernels;
  const bool of_thread = tracks == Row::Calls || tracks == Row::Proxy;
  Pending pending{start_ns,
                  row.stop_ns,
                  {row.process, tracks, of_thread ? kNoRow : row.communicator,
                   by_channel ? row.channel : row.tid},
                  false,
                  row,
                  {}};
  push(pending);
}

void Drawing::proxy_step(const ProxyStepRow& row) {
  if (row.start_ns == kNoTime) return;
  push({row.start_ns,
        row.stop_ns,
        {row.process, row.is_send != 0 ? Row::Send : Row::Receive, row.communicator, row.channel},
        true,
        {},
        row});
}

void Drawing::push(const Pending& pending) {
  window_.push(pending);
  if (window_.size() > kWindow) flush(kWindow - 1);
}

void Drawing::flush(size_t keep) {
  while (window_.size() > keep) {
    draw(window_.top());
    window_.pop();
  }
}

void Drawing::draw(const Pending& pending) {
  Slice slice;
  slice.start_ns = pending.start_ns;
  slice.stop_ns =
      pending.stop_ns == kNoTime ? kNoTime : std::max(pending.stop_ns, pending.start_ns);
  slice.track = track_for(pending.group, slice.start_ns, slice.stop_ns);
  if (pending.is_step) {
    describe_step(pending.step);
    slice.category = "proxy_step";
  } else {
    slice.category = kKindNames[std::min<unsigned>(pending.event.kind, kKinds)];
    describe_event(pending.event, slice.category);
  }
  slice.name = name_;
  slice.notes = notes_.data();
  slice.note_count = notes_.size();
  sink_->slice(slice);
  ++counts_->slices;
}

void Drawing::describe_event(const EventRow& event, const char* kind) {
  name_ = kind;
  if (event.name != 0) name_ += " " + run_.text(event.name);
  notes_ = {{"event_id", static_cast<int64_t>(event.event_id), {}},
            {"parent_id", static_cast<int64_t>(event.parent_id), {}}};
  if (event.peer >= 0) notes_.push_back({"peer", event.peer, {}});
}

void Drawing::describe_step(const ProxyStepRow& step) {
  name_ = "step " + std::to_string(step.step);
  notes_ = {{"event_id", static_cast<int64_t>(step.event_id), {}},
            {"operation_id", static_cast<int64_t>(step.operation_id), {}},
            {"peer", step.peer, {}},
            {"size_bytes", static_cast<int64_t>(step.size_bytes), {}}};
  for (const auto& [what, ns] : {std::pair<const char*, int64_t>{"gpu_wait_ns", step.gpu_wait_ns},
                                 {"peer_wait_ns", step.peer_wait_ns},
                                 {"network_ns", step.network_ns},
                                 {"receive_wait_ns", step.receive_wait_ns},
                                 {"flush_ns", step.flush_ns}}) {
    if (ns != kNoTime) notes_.push_back({what, ns, {}});
  }
}

}  // namespace

Status draw_timeline(const ExportInput& input, const ExportOptions& options, TimelineSink* sink,
                     TimelineCounts* counts) {
  const RunTables& run = *input.run;
  const std::vector<int32_t> pids = viewer_pids(run);
  for (uint32_t i = 0; i < run.processes.size(); ++i)
    sink->process(i, pids[i], process_label(run, run.processes[i]));
  Drawing drawing(run, sink, counts);
  const OperationSpans spans(run);
  OperationNotes notes(run, spans);
  drawing.clocks();
  drawing.counters(Row::InFlight, CounterUnit::Operations, operations_in_flight(run, spans));
  drawing.counters(Row::Bandwidth, CounterUnit::MegabytesPerSecond, bus_bandwidth_mbs(run));
  drawing.steps();
  drawing.ranges();
  drawing.logs();
  drawing.operations(spans, &notes);
  return for_each_process(run, options, [&](uint32_t process) {
    Status streamed = input.stream(process, &drawing);
    drawing.end_process();
    return streamed;
  });
}

void add_counts(const TimelineCounts& counts, ExportSummary* summary) {
  summary->add("operations", counts.operations);
  summary->add("slices", counts.slices);
  summary->add("flows", counts.flows);
  summary->add("counter points", counts.counters);
  if (counts.untimed != 0)
    summary->notes.push_back(
        std::to_string(counts.untimed) +
        " operations have no known time; they stand where their process began");
}

}  // namespace lockstep::analysis
