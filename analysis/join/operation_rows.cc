#include "analysis/join/operation_rows.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <unordered_map>

#include "analysis/join/last_known.h"
#include "lockstep/message_size.h"

namespace lockstep::analysis {
namespace {

// Of OperationRow or BriefRow, of which less is asked.
template <typename Row>
class OperationRows {
 public:
  OperationRows(JoinState* join, std::vector<Row>* rows, const StringPool& strings)
      : join_(*join), out_(join->out), rows_(*rows), strings_(strings) {}

  void make(clocksync::GpuPrecision gpu_clocks);

 private:
  static constexpr bool kBrief = std::is_same_v<Row, BriefRow>;
  void resolve_late_children();
  void drop_channel_ends();
  void add_open_works();
  void join_calls();
  void take_call(const ApiCall& api, Row* row) const;
  uint64_t size_of(const Row& row) const;
  void add_api_only();
  void sort_by_call();
  void number_calls();
  void map_gpu_times(clocksync::GpuPrecision precision);
  void flag_early_stops();
  // What children the operations of a communicator have in this recording.
  struct Habits {
    bool children = false, kernels = false;
  };
  bool lacks_an_end(const Row& row, const Habits& habits) const;
  void set_states();
  bool is_p2p(const Row& row);

  JoinState& join_;
  ProcessOperations& out_;
  std::vector<Row>& rows_;
  const StringPool& strings_;
  // Whether the function of the row before is Send or Recv: no function has this number.
  Text asked_func_ = ~Text{0};
  bool func_is_p2p_ = false;
};

template <typename Row>
void OperationRows<Row>::make(clocksync::GpuPrecision gpu_clocks) {
  resolve_late_children();
  if constexpr (!kBrief) drop_channel_ends();
  join_calls();
  map_gpu_times(gpu_clocks);
  add_api_only();
  sort_by_call();
  number_calls();
  set_states();
  add_open_works();
}

template <typename Row>
void OperationRows<Row>::resolve_late_children() {
  const auto lost = [this](const ProxyWork& work) {
    if (work.parent != 0) out_.foreign.push_back(work);
    if (work.pid == join_.pid)
      join_.count_orphan(work.last_ns);
    else
      ++out_.orphans;
  };
  const auto lost_kernel = [this](const KernelSpan& kernel) {
    join_.count_orphan(std::max(kernel.seen_ns, kernel.stop_ns));
  };
  for (const ProxyWork& work : join_.works_done) {
    if (!join_.fold(work)) lost(work);
  }
  for (const KernelSpan& kernel : join_.kernels_done) {
    if (!join_.fold(kernel)) lost_kernel(kernel);
  }
  for (const ProxyWork& work : join_.works) {
    if (work.start_ns != kNoTime && !join_.fold(work)) lost(work);
  }
  for (const KernelSpan& kernel : join_.kernels) {
    if (kernel.seen_ns != kNoTime && !join_.fold(kernel)) lost_kernel(kernel);
  }
}

template <typename Row>
void OperationRows<Row>::drop_channel_ends() {
  std::vector<ChannelEndRow>& ends = out_.channel_ends;
  ends.erase(std::remove_if(ends.begin(), ends.end(),
                            [&](const ChannelEndRow& end) {
                              return !needs_channel_ends(rows_[end.operation], strings_);
                            }),
             ends.end());
}

template <typename Row>
void OperationRows<Row>::take_call(const ApiCall& api, Row* row) const {
  row->group_id = api.group_id;
  row->api_start_ns = api.start_ns;
  row->api_stop_ns = api.stop_ns;
  row->stream = api.stream;
  if constexpr (!kBrief) {
    row->count = api.count;
    row->datatype = api.datatype;
    if (api.user_tag != 0) row->user_tag = api.user_tag;
    row->tid = api.tid;
    const uint32_t group = join_.group_at.find(api.group_id);
    if (group != IdMap::kNone) row->launch_ns = join_.groups[group].launch_stop_ns;
  }
  if (api.captured) row->flags |= kGraph;
}

// From count and datatype of the same event: a launch event may count bytes (ncclInt8) where the
// call counted elements, and either product is right.
template <typename Row>
uint64_t OperationRows<Row>::size_of(const Row& row) const {
  const uint64_t own = row.count * datatype_bytes(strings_.text(row.datatype));
  const auto nranks = static_cast<uint64_t>(std::max(1, join_.comm(row.communicator).nranks));
  return spans_ranks(strings_.text(row.func)) ? own * nranks : own;
}

template <typename Row>
void OperationRows<Row>::join_calls() {
  for (size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    if constexpr (!kBrief) row.size_bytes = size_of(row);
    const uint32_t at = join_.api_at.find(join_.launches[i].api_id);
    if (at == IdMap::kNone) {
      row.flags |= kOrphan;
      continue;
    }
    ApiCall& api = join_.apis[at];
    // Each launch of a captured call is a replay; without network work the only launch is the
    // capture itself, and then the replays cannot be seen at all.
    if (api.captured)
      row.replay = ++api.launched;
    else
      ++api.launched;
    take_call(api, &row);
    if constexpr (!kBrief) row.launch_ns = row.replay == 0 ? row.launch_ns : kNoTime;
  }
}

template <typename Row>
void OperationRows<Row>::add_api_only() {
  for (const ApiCall& api : join_.apis) {
    if (api.launched != 0) continue;
    Row row;
    row.kind = OpKind::ApiOnly;
    row.event_id = api.id;
    row.communicator = comm_of(api.id);
    row.rank = join_.comm(row.communicator).rank;
    row.func = api.func;
    row.peer = api.root;
    take_call(api, &row);
    const uint32_t group = join_.group_at.find(api.group_id);
    row.last_progress_ns = std::max(api.start_ns, api.stop_ns);
    if (group != IdMap::kNone) {
      const GroupCall& call = join_.groups[group];
      row.last_progress_ns = std::max({row.last_progress_ns, call.launch_stop_ns, call.stop_ns});
      if (call.stop_ns != kNoTime) row.enqueue_ns = call.stop_ns;
    } else {
      row.enqueue_ns = api.stop_ns;
    }
    if constexpr (!kBrief) row.size_bytes = size_of(row);
    rows_.push_back(row);
    join_.launches.emplace_back();
  }
}

template <typename Row>
void OperationRows<Row>::sort_by_call() {
  std::vector<uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_earlier = [&](uint32_t a, uint32_t b) {
    const Row &x = rows_[a], &y = rows_[b];
    const int64_t at_x = x.called_ns(), at_y = y.called_ns();
    return at_x != at_y ? at_x < at_y : serial_of(x.event_id) < serial_of(y.event_id);
  };
  if (std::is_sorted(order.begin(), order.end(), is_earlier)) return;
  std::stable_sort(order.begin(), order.end(), is_earlier);
  std::vector<Row> rows;
  std::vector<Launch> launches;
  std::vector<uint32_t> moved(order.size());
  rows.reserve(order.size());
  launches.reserve(order.size());
  for (const uint32_t i : order) {
    moved[i] = static_cast<uint32_t>(rows.size());
    rows.push_back(rows_[i]);
    launches.push_back(join_.launches[i]);
  }
  for (ChannelEndRow& end : out_.channel_ends) end.operation = moved[end.operation];
  rows_.swap(rows);
  join_.launches.swap(launches);
}

template <typename Row>
bool OperationRows<Row>::is_p2p(const Row& row) {
  if (row.kind == OpKind::PointToPoint) return true;
  if (row.func != asked_func_) {
    asked_func_ = row.func;
    const std::string& func = strings_.text(row.func);
    func_is_p2p_ = func == "Send" || func == "Recv" || func == "SendRecv";
  }
  return func_is_p2p_;
}

template <typename Row>
void OperationRows<Row>::number_calls() {
  struct Series {
    uint32_t next = 0;
    bool begun = false, captured = false;
  };
  LastKnown<uint64_t, Series> series;
  LastKnown<uint32_t, uint32_t> positions;                   // by communicator
  std::unordered_map<uint64_t, uint32_t> captured_ordinals;  // by CollApi id
  for (size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const Launch& launch = join_.launches[i];
    if (row.replay > 1) {
      row.ordinal = captured_ordinals[launch.api_id];
      continue;
    }
    const bool p2p = is_p2p(row);
    const uint64_t key = uint64_t{row.communicator} << 46 | uint64_t{row.func & 0xffffu} << 30 |
                         (p2p ? static_cast<uint32_t>(row.peer + 1) & 0x3fffffffu : 0u);
    Series& s = series[key];
    if (row.replay != 0) s.captured = true;
    // NCCL's own number makes up for calls that are missing from the recording; replays disturb it.
    if (launch.has_sequence && !s.captured && (!s.begun || launch.sequence > s.next)) {
      s.next = static_cast<uint32_t>(launch.sequence);
    }
    s.begun = true;
    row.ordinal = s.next++;
    if (row.replay != 0) captured_ordinals[launch.api_id] = row.ordinal;
    if constexpr (!kBrief) {
      if (!p2p) row.position = positions[row.communicator]++;
    }
  }
}

template <typename Row>
void OperationRows<Row>::map_gpu_times(clocksync::GpuPrecision precision) {
  std::vector<int64_t> launched_ns;
  launched_ns.reserve(rows_.size());
  for (const Row& row : rows_) {
    const uint32_t group = join_.group_at.find(row.group_id);
    const int64_t launch_ns = group == IdMap::kNone ? kNoTime : join_.groups[group].launch_start_ns;
    // The kernels of a replay wait for its host callback.
    launched_ns.push_back(row.replay != 0        ? row.enqueue_ns
                          : launch_ns != kNoTime ? launch_ns
                                                 : row.api_start_ns);
  }
  join_.gpu.map(out_.comms, join_.row_at, launched_ns, precision, &rows_);
  flag_early_stops();
}

// The rows of one group are neighbours.
template <typename Row>
void OperationRows<Row>::flag_early_stops() {
  const Text receive = strings_.find("Recv");
  Row* before = nullptr;  // the last that sends or receives with a kernel
  for (Row& row : rows_) {
    if (row.kind != OpKind::PointToPoint || row.kernels == 0) continue;
    if (before != nullptr && row.group_id != 0 && row.group_id == before->group_id &&
        row.replay == before->replay) {
      for (Row* one : {before, &row}) {
        if (one->func == receive) one->flags |= kEarlyStop;
      }
    }
    before = &row;
  }
}

// Whether an operation that is not of a given group call is known to have ended later on the same
// stream: streams run in order, so everything before it ended as well. Only the operations of one
// group may end in any order.
class LaterDone {
 public:
  void add(uint64_t group_id) {
    many_ = many_ || (any_ && group_id != group_id_);
    any_ = true;
    group_id_ = group_id;
  }
  bool other_than(uint64_t group_id) const {
    return any_ && (many_ || group_id == 0 || group_id != group_id_);
  }

 private:
  bool any_ = false, many_ = false;
  uint64_t group_id_ = 0;
};

template <typename Row>
bool OperationRows<Row>::lacks_an_end(const Row& row, const Habits& habits) const {
  if (row.kind == OpKind::ApiOnly) return row.enqueue_ns == kNoTime;
  if (row.kind == OpKind::CopyEngine) return false;
  if (row.kernels_open + row.proxy_ops_open != 0) return true;
  // A send to oneself has no children, ever.
  if (row.kind == OpKind::PointToPoint && row.peer == row.rank) return false;
  if (row.kernels + row.proxy_ops == 0) return habits.children;
  // Some API versions leave garbage in the channels of a send or receive.
  if (row.kind == OpKind::Collective && row.kernels != 0 && row.kernels < row.channels) return true;
  return row.finish_ns == kNoTime && habits.kernels;  // only transports that never report
}

template <typename Row>
void OperationRows<Row>::set_states() {
  LastKnown<uint32_t, Habits> habits;  // by communicator
  const auto always = [this](Kind kind) {
    return (join_.captured_kinds >> static_cast<unsigned>(kind) & 1) == 0;
  };
  for (const Row& row : rows_) {
    const bool kernels = row.kernels != 0 && always(Kind::KernelCh);
    Habits& habit = habits[row.communicator];
    habit.kernels |= kernels;
    habit.children |= kernels || (row.proxy_ops != 0 && always(Kind::ProxyOp));
  }
  // By stream, or by communicator where streams are not known.
  LastKnown<uint64_t, LaterDone> later;
  for (size_t i = rows_.size(); i-- > 0;) {
    Row& row = rows_[i];
    LaterDone& done = later[row.stream != 0 ? row.stream : ~uint64_t{row.communicator}];
    if (!lacks_an_end(row, habits[row.communicator])) {
      const bool known = row.finish_ns != kNoTime;
      row.state = known ? OpState::Done : OpState::Enqueued;
      if (row.kind == OpKind::ApiOnly && (row.flags & kGraph) != 0) row.state = OpState::Captured;
      if (known) done.add(row.group_id);
      continue;
    }
    if (done.other_than(row.group_id)) {
      row.state = OpState::Incomplete;
      continue;
    }
    row.finish_ns = kNoTime;
    row.state =
        join_.comm(row.communicator).finalize_ns != kNoTime ? OpState::Aborted : OpState::InFlight;
  }
}

template <typename Row>
void OperationRows<Row>::add_open_works() {
  const auto is_open = [](const ProxyWork& work) { return work.start_ns != kNoTime; };
  if (kBrief || std::none_of(join_.works.begin(), join_.works.end(), is_open)) return;
  IdMap row_of;
  for (size_t i = 0; i < rows_.size(); ++i) row_of.set(rows_[i].event_id, static_cast<uint32_t>(i));
  for (const ProxyWork& work : join_.works) {
    if (!is_open(work)) continue;
    OpenTransportRow open;
    open.operation = work.pid == join_.pid ? row_of.find(work.parent) : kNoRow;
    open.rank = work.rank;
    open.peer = work.peer;
    open.steps_planned = work.planned;
    open.steps_done = work.steps;
    open.since_ns = work.last_ns;
    open.channel = work.channel;
    open.is_send = work.is_send ? 1 : 0;
    uint32_t oldest = ~uint32_t{0};
    for (const uint32_t slot : work.slots) {
      if (slot == 0) continue;
      ++open.steps_open;
      const OpenStep& step = join_.steps[slot - 1];
      if (step.number >= oldest) continue;
      oldest = step.number;
      open.last_state = step.times.state;
    }
    out_.open.push_back(open);
  }
}

}  // namespace

ProcessOperations make_rows(JoinState* join, const StringPool& strings,
                            clocksync::GpuPrecision gpu_clocks) {
  if (join->brief) {
    OperationRows<BriefRow>(join, &join->brief_rows, strings).make(gpu_clocks);
  } else {
    OperationRows<OperationRow>(join, &join->out.rows, strings).make(gpu_clocks);
  }
  return std::move(join->out);
}

}  // namespace lockstep::analysis
