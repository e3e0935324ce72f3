#include "analysis/join/operations.h"

#include "analysis/join/operation_rows.h"

namespace lockstep::analysis {

namespace {

// To copy them is faster than to make them: g++ clears so large an object with `rep stos`, which takes longer than all else
// that is done for a record.
const ProxyWork kNoWork{};
const OpenStep kNoStep{};
const OperationRow kNoOperation{};
const BriefRow kNoBriefRow{};

constexpr std::array<uint8_t, kTags> words_by_tag() {
  std::array<uint8_t, kTags> words{};
  for (unsigned tag = 0; tag < kTags; ++tag) words[tag] = kRecordShapes[tag].words;
  return words;
}
constexpr std::array<uint8_t, kTags> kWordsOf = words_by_tag();

// Takes a free slot of a pool, whose last user left it empty, or makes one.
template <typename T>
uint32_t take(std::vector<T>* pool, std::vector<uint32_t>* free) {
  if (free->empty()) {
    pool->emplace_back();
    return static_cast<uint32_t>(pool->size() - 1);
  }
  const uint32_t slot = free->back();
  free->pop_back();
  return slot;
}

}  // namespace

// Counts what is asked about of records that come one after the other.
class OperationJoin::Asked {
 public:
  explicit Asked(JoinState* state)
      : state_(*state),
        from_ns_(static_cast<uint64_t>(state->from_ns)),
        length_ns_(static_cast<uint64_t>(state->to_ns) - from_ns_) {}
  ~Asked() {
    if (records_ == 0) return;
    ProcessOperations& out = state_.out;
    out.records += records_;
    out.first_ns = out.first_ns == kNoTime ? first_ns_ : std::min(out.first_ns, first_ns_);
    out.last_ns = std::max(out.last_ns, last_ns_);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  void count(int64_t ns) {
    if (static_cast<uint64_t>(ns) - from_ns_ > length_ns_) return;
    // Mostly they ascend.
    if (ns > last_ns_) last_ns_ = ns;
    if (ns < first_ns_) first_ns_ = ns;
    ++records_;
  }

 private:
  JoinState& state_;
  const uint64_t from_ns_, length_ns_;  // to both ends
  int64_t first_ns_ = std::numeric_limits<int64_t>::max(), last_ns_ = kNoTime;
  uint64_t records_ = 0;
};

void OperationJoin::add(uint32_t tid, const uint64_t* words, size_t count,
                        const dumper::ChunkClock& clock, const std::vector<Text>& texts) {
  Now now{tid, 0, &clock, &texts};
  dumper::ChunkClock::Ascending times(clock);
  Asked asked(&s_);
  for (size_t at = 0; at < count;) {
    const uint64_t* w = words + at;
    const Tag tag = tag_of(w[0]);
    const unsigned size = tag < kTags ? kRecordShapes[tag].words : 0;
    if (size == 0 || at + size > count) return;
    at += size;
    now.ns = static_cast<int64_t>(times.raw_ns(ticks_of(w[0])));
    asked.count(now.ns);
    add_record(tag, w, now);
  }
}

void OperationJoin::add_by_tag(const dumper::DecodedChunk& chunk, const std::vector<Text>& texts) {
  std::array<const uint64_t*, kTags> next;
  for (unsigned tag = 0; tag < kTags; ++tag)
    next[tag] = chunk.words.data() + chunk.first_of_tag[tag];
  const Tag* tag = chunk.tags.data();
  const uint64_t* ticks = chunk.ticks.data();
  Now now{0, 0, &chunk.clock, &texts};
  dumper::ChunkClock::Ascending times(chunk.clock);
  for (const dumper::DecodedPiece& piece : chunk.pieces) {
    Asked asked(&s_);
    now.tid = piece.tid;
    for (const Tag* const end = tag + piece.records; tag != end; ++tag) {
      const uint64_t* const w = next[*tag];
      next[*tag] = w + kWordsOf[*tag];
      now.ns = static_cast<int64_t>(times.raw_ns(*ticks++));
      asked.count(now.ns);
      add_record(*tag, w, now);
    }
  }
}

void OperationJoin::add_record(Tag tag, const uint64_t* w, const Now& now) {
  if (is_start(tag)) {
    start(static_cast<Kind>(tag), w, now);
  } else if (is_stop(tag)) {
    stop(static_cast<Kind>(tag - kStopTag), w, now);
  } else if (is_state(tag)) {
    state(static_cast<uint8_t>(tag - kStateTag), w, now);
  } else if (is_comm(tag)) {
    comm_record(w, now);
  } else if (!s_.brief) {
    s_.marks.add(w, {now.tid, now.ns}, *now.texts);
  }
}

void OperationJoin::know_comm(const JoinedComm& known) {
  JoinedComm& c = s_.comm(known.number);
  if (c.nranks == 0) c = known;
}

void OperationJoin::know_gpu(GpuSnapshot snapshot, Text gpu) {
  constexpr int64_t kMarginNs = 1'000'000'000;
  if (snapshot.raw_hi_ns < s_.out.first_ns - kMarginNs ||
      snapshot.raw_lo_ns > s_.out.last_ns + kMarginNs) {
    return;
  }
  for (const uint64_t number : snapshot.comms) {
    const uint32_t at = s_.comm_at.find(number + 1);
    if (at != IdMap::kNone) s_.out.comms[at].gpu = gpu;
  }
  s_.gpu.snapshot(std::move(snapshot));
}

void OperationJoin::comm_record(const uint64_t* w, const Now& now) {
  JoinedComm& c = s_.comm(static_cast<uint32_t>(CommRecord::read(w).comm));
  const Tag tag = tag_of(w[0]);
  if (tag == kCommInitTag) {
    const auto init = CommInitRecord::read(w);
    c.comm_id = init.comm_id;
    c.rank = static_cast<int32_t>(init.rank);
    c.nranks = static_cast<int32_t>(init.ranks);
    c.nnodes = static_cast<int32_t>(init.nodes);
    c.name = now.text(init.name);
    c.init_ns = now.ns;
    c.init_real_ns = static_cast<int64_t>(now.clock->real_ns(ticks_of(w[0])));
  } else if (tag == kCommFinalizeTag) {
    c.finalize_ns = now.ns;
  } else {
    const auto info = CommInfoRecord::read(w);
    if (info.comm_id != 0) c.comm_id = info.comm_id;
    if (const Text name = now.text(info.name); name != 0) c.name = name;
  }
}

void OperationJoin::start(Kind kind, const uint64_t* w, const Now& now) {
  const auto common = StartRecord::read(w);
  switch (kind) {
    case Kind::GroupApi: {
      s_.group_at.set(common.id, static_cast<uint32_t>(s_.groups.size()));
      s_.groups.emplace_back();
      return;
    }
    case Kind::CollApi:
    case Kind::P2pApi:
      return start_api(kind, w, now);
    case Kind::Coll:
    case Kind::P2p:
    case Kind::CeColl:
      return start_operation(kind, w, now);
    case Kind::KernelLaunch: {
      s_.launch_at.set(common.id, static_cast<uint32_t>(s_.launch_groups.size()));
      s_.launch_groups.push_back(common.parent);
      const uint32_t group = s_.group_at.find(common.parent);
      if (group != IdMap::kNone && s_.groups[group].launch_start_ns == kNoTime) {
        s_.groups[group].launch_start_ns = now.ns;
      }
      return;
    }
    case Kind::KernelCh: {
      const auto kernel = KernelChRecord::read(w);
      const uint32_t at = take(&s_.kernels, &s_.free_kernels);
      s_.kernels[at] = {kernel.parent, kernel.p_timer, 0, now.ns, kNoTime, kernel.channel};
      s_.kernel_at.set(kernel.id, at);
      if (kernel.p_timer != 0) s_.gpu.seen(comm_of(kernel.parent), kernel.p_timer, now.ns);
      return;
    }
    case Kind::KernelPhase: {
      const auto phase = KernelPhaseRecord::read(w);
      if (phase.p_timer == 0 || now.ns < s_.from_ns || now.ns > s_.to_ns) return;
      const uint32_t at = take(&s_.phases, &s_.free_phases);
      s_.phases[at] = {phase.p_timer, 0, phase.channel, phase.phase};
      s_.phase_at.set(phase.id, at);
      return;
    }
    case Kind::ProxyOp:
      return start_proxy_op(w, now);
    case Kind::ProxyStep:
      return start_step(w, now);
    default:
      return;
  }
}

// What CollApi and P2pApi have in common.
template <typename Record>
ApiCall OperationJoin::api_call(const Record& call, const Now& now) {
  ApiCall api;
  api.id = call.id;
  api.group_id = call.parent;
  api.start_ns = now.ns;
  api.count = call.count;
  api.func = now.text(call.func);
  api.datatype = now.text(call.datatype);
  api.stream = call.stream;
  api.user_tag = call.user_tag;
  api.tid = now.tid;
  api.captured = call.graph_captured;
  return api;
}

void OperationJoin::start_api(Kind kind, const uint64_t* w, const Now& now) {
  ApiCall api;
  if (kind == Kind::CollApi) {
    const auto call = CollApiRecord::read(w);
    api = api_call(call, now);
    api.root = call.root;
  } else {
    api = api_call(P2pApiRecord::read(w), now);
  }
  s_.api_at.set(api.id, static_cast<uint32_t>(s_.apis.size()));
  s_.apis.push_back(api);
}

void OperationJoin::start_operation(Kind kind, const uint64_t* w, const Now& now) {
  const auto start = StartRecord::read(w);
  s_.launches.emplace_back().api_id = start.parent;
  if (s_.brief) {
    s_.row_at.set(start.id, static_cast<uint32_t>(s_.brief_rows.size()));
    start_row(kind, w, now, &s_.brief_rows.emplace_back(kNoBriefRow));
  } else {
    s_.row_at.set(start.id, static_cast<uint32_t>(s_.out.rows.size()));
    start_row(kind, w, now, &s_.out.rows.emplace_back(kNoOperation));
  }
}

template <typename Row>
void OperationJoin::start_row(Kind kind, const uint64_t* w, const Now& now, Row* row) {
  constexpr bool kFull = std::is_same_v<Row, OperationRow>;
  const auto start = StartRecord::read(w);
  row->event_id = start.id;
  row->enqueue_ns = row->last_progress_ns = now.ns;
  row->communicator = comm_of(start.id);
  row->rank = start.event_rank;
  if constexpr (kFull) row->tid = now.tid;
  if (kind == Kind::Coll) {
    const auto coll = CollRecord::read(w);
    row->kind = OpKind::Collective;
    row->channels = coll.channels;
    s_.launches.back().sequence = coll.seq_number;
    s_.launches.back().has_sequence = true;
    row->func = now.text(coll.func);
    row->peer = coll.root;
    if constexpr (kFull) {
      row->seq_number = static_cast<int64_t>(coll.seq_number);
      row->algo = now.text(coll.algo);
      row->proto = now.text(coll.proto);
      take_message(coll, now, row);
    }
  } else if (kind == Kind::P2p) {
    const auto p2p = P2pRecord::read(w);
    row->kind = OpKind::PointToPoint;
    row->channels = p2p.channels;
    row->func = now.text(p2p.func);
    row->peer = p2p.peer;
    if constexpr (kFull) take_message(p2p, now, row);
  } else {
    const auto ce = CeCollRecord::read(w);
    row->kind = OpKind::CopyEngine;
    row->func = now.text(ce.func);
    row->peer = ce.root;
    row->stream = ce.stream;
    if constexpr (kFull) take_message(ce, now, row);
  }
}

// What Coll, P2p and CeColl say alike of what is sent.
template <typename Record>
void OperationJoin::take_message(const Record& record, const Now& now, OperationRow* row) {
  row->count = record.count;
  row->datatype = now.text(record.datatype);
  row->user_tag = record.user_tag;
}

void OperationJoin::start_proxy_op(const uint64_t* w, const Now& now) {
  const auto op = ProxyOpRecord::read(w);
  const uint32_t at = take(&s_.works, &s_.free_works);
  ProxyWork& work = s_.works[at];
  work.parent = op.parent;
  work.start_ns = work.last_ns = now.ns;
  work.rank = op.event_rank;
  work.peer = op.peer;
  work.pid = op.pid;
  work.planned = op.steps;
  work.channel = op.channel;
  work.is_send = op.is_send;
  s_.work_at.set(op.id, at);
}

void OperationJoin::start_step(const uint64_t* w, const Now& now) {
  const auto start = ProxyStepRecord::read(w);
  const uint32_t work_at = s_.work_at.find(start.parent);
  if (work_at == IdMap::kNone) {
    s_.count_orphan(now.ns);
    return;
  }
  ProxyWork& work = s_.works[work_at];
  work.stepped = true;
  work.last_ns = now.ns;
  const auto number = static_cast<uint32_t>(start.step);
  uint32_t& slot = work.slots[number % work.slots.size()];
  // A receive step is started again on every pass until the network takes it: one step, its first
  // start counts.
  if (slot != 0 && s_.steps[slot - 1].number == number &&
      s_.steps[slot - 1].times.state == kNoState) {
    OpenStep& step = s_.steps[slot - 1];
    s_.step_at.erase(step.id);
    step.id = start.id;
    ++step.times.retries;
    s_.step_at.set(step.id, slot - 1);
    return;
  }
  const uint32_t at = take(&s_.steps, &s_.free_steps);
  OpenStep& step = s_.steps[at];
  step.id = start.id;
  step.work = start.parent;
  step.number = number;
  step.times.start(now.ns);
  s_.step_at.set(step.id, at);
  slot = at + 1;
}

void OperationJoin::state(uint8_t number, const uint64_t* w, const Now& now) {
  const EventId id = EventRecord::read(w).id;
  const uint64_t argument =
      state_has_argument(number) ? StateRecord::read(w).argument : kNoArgument;
  if (kind_of(id) == Kind::ProxyStep) {
    const uint32_t at = s_.step_at.find(id);
    if (at == IdMap::kNone) return;
    if (number == kSendWait && s_.steps[at].times.state != kSendWait) s_.sends.send(at, now.ns);
    s_.steps[at].times.enter(number, argument, now.ns);
    const uint32_t work = s_.work_at.find(s_.steps[at].work);
    if (work != IdMap::kNone) s_.works[work].last_ns = now.ns;
  } else if (number == kKernelChStop) {
    const uint32_t at = s_.kernel_at.find(id);
    if (at == IdMap::kNone || argument == kNoArgument) return;
    s_.kernels[at].gpu_stop = argument;
    if (are_an_interval(s_.kernels[at].gpu_start, argument))
      s_.gpu.seen(comm_of(s_.kernels[at].parent), argument, now.ns);
  } else if (number == kKernelPhaseStop) {
    const uint32_t at = s_.phase_at.find(id);
    if (at != IdMap::kNone && argument != kNoArgument) s_.phases[at].gpu_stop = argument;
  } else if (number == kProxyOpInProgress) {
    const uint32_t work = s_.work_at.find(id);
    if (work != IdMap::kNone) {
      s_.works[work].last_ns = now.ns;
      s_.works[work].stepped = true;
    }
  }
}

void OperationJoin::stop_step(uint64_t id, int64_t now_ns) {
  const uint32_t at = s_.step_at.take(id);
  if (at == IdMap::kNone) return;
  OpenStep& step = s_.steps[at];
  step.times.leave(now_ns);
  const int64_t sending_ns = step.times.state == kSendWait ? s_.sends.acknowledge(at, now_ns) : 0;
  const uint32_t work_at = s_.work_at.find(step.work);
  if (work_at != IdMap::kNone) {
    ProxyWork& work = s_.works[work_at];
    for (unsigned i = 0; i < kStretches; ++i) work.spent[i] += step.times.spent[i];
    work.sending_ns += sending_ns;
    work.bytes += step.times.size_bytes;
    if (step.times.network_done_ns != kNoTime) {
      ++work.seen_steps;
      work.seen_after_ns += step.times.network_done_ns - work.start_ns;
    }
    work.retries += step.times.retries;
    work.last_ns = now_ns;
    ++work.steps;
    uint32_t& slot = work.slots[step.number % work.slots.size()];
    if (slot == at + 1) slot = 0;
  }
  step = kNoStep;
  s_.free_steps.push_back(at);
}

// Steps whose stop was lost.
void OperationJoin::forget_steps(const ProxyWork& work) {
  for (const uint32_t slot : work.slots) {
    if (slot == 0) continue;
    s_.step_at.erase(s_.steps[slot - 1].id);
    s_.steps[slot - 1] = kNoStep;
    s_.sends.forget(slot - 1);
    s_.free_steps.push_back(slot - 1);
  }
}

void OperationJoin::stop_proxy_op(uint64_t id, int64_t now_ns) {
  const uint32_t at = s_.work_at.take(id);
  if (at == IdMap::kNone) return;
  ProxyWork& work = s_.works[at];
  work.stop_ns = work.last_ns = now_ns;
  uint32_t open = 0;
  for (const uint32_t slot : work.slots) open |= slot;
  if (open != 0) forget_steps(work);
  if (!s_.fold(work)) s_.works_done.push_back(work);
  work = kNoWork;
  s_.free_works.push_back(at);
}

void OperationJoin::stop(Kind kind, const uint64_t* w, const Now& now) {
  const EventId id = EventRecord::read(w).id;
  switch (kind) {
    case Kind::ProxyStep:
      return stop_step(id, now.ns);
    case Kind::ProxyOp:
      return stop_proxy_op(id, now.ns);
    case Kind::KernelCh: {
      const uint32_t at = s_.kernel_at.take(id);
      if (at == IdMap::kNone) return;
      s_.kernels[at].stop_ns = now.ns;
      s_.gpu.ended(s_.kernels[at].parent, s_.kernels[at].channel, s_.kernels[at].gpu_start,
                   s_.kernels[at].gpu_stop);
      if (!s_.fold(s_.kernels[at])) s_.kernels_done.push_back(s_.kernels[at]);
      s_.kernels[at] = {};
      s_.free_kernels.push_back(at);
      return;
    }
    case Kind::KernelPhase: {
      const uint32_t at = s_.phase_at.take(id);
      if (at == IdMap::kNone) return;
      if (are_an_interval(s_.phases[at].gpu_start, s_.phases[at].gpu_stop))
        s_.channels.add(s_.phases[at], s_.comm(comm_of(id)), &s_.out.channels);
      s_.free_phases.push_back(at);
      return;
    }
    case Kind::CollApi:
    case Kind::P2pApi: {
      // NCCL may stop an old handle again: the first stop counts.
      const uint32_t at = s_.api_at.find(id);
      if (at != IdMap::kNone && s_.apis[at].stop_ns == kNoTime) s_.apis[at].stop_ns = now.ns;
      return;
    }
    case Kind::GroupApi: {
      const uint32_t at = s_.group_at.find(id);
      if (at != IdMap::kNone && s_.groups[at].stop_ns == kNoTime) s_.groups[at].stop_ns = now.ns;
      return;
    }
    case Kind::KernelLaunch: {
      const uint32_t at = s_.launch_at.take(id);
      const uint32_t group = at == IdMap::kNone ? at : s_.group_at.find(s_.launch_groups[at]);
      if (group != IdMap::kNone) s_.groups[group].launch_stop_ns = now.ns;
      return;
    }
    default:
      return;
  }
}

ProcessOperations OperationJoin::finish(const StringPool& strings,
                                        clocksync::GpuPrecision gpu_clocks) {
  s_.marks.finish(&s_.out.steps, &s_.out.ranges);
  ProcessOperations made = make_rows(&s_, strings, gpu_clocks);
  return memory_ == nullptr ? made : make_brief(std::move(made));
}

// What else there is of the process has nobody who asks for it then.
ProcessOperations OperationJoin::make_brief(ProcessOperations full) {
  full.brief.assign(s_.brief_rows.begin(), s_.brief_rows.end());
  full.open.clear();
  full.channels.clear();
  full.steps.clear();
  full.ranges.clear();
  memory_->give(std::move(s_));
  return full;
}

}  // namespace lockstep::analysis
