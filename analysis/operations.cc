#include "analysis/operations.h"

namespace lockstep::analysis {
namespace {

// Takes a free slot of a pool, or makes one.
template <typename T>
uint32_t take(std::vector<T>* pool, std::vector<uint32_t>* free) {
  if (free->empty()) {
    pool->emplace_back();
    return static_cast<uint32_t>(pool->size() - 1);
  }
  const uint32_t slot = free->back();
  free->pop_back();
  (*pool)[slot] = {};
  return slot;
}

}  // namespace

void OperationJoin::add(uint32_t tid, const uint64_t* words, size_t count,
                        const dumper::ChunkClock& clock, const std::vector<Text>& texts) {
  Now now{tid, 0, &clock, &texts};
  for (size_t at = 0; at < count;) {
    Words w = words + at;
    const Tag tag = tag_of(w[0]);
    const unsigned size = tag < kTags ? kRecordShapes[tag].words : 0;
    if (size == 0 || at + size > count) return;
    at += size;
    now.ns = static_cast<int64_t>(clock.raw_ns(ticks_of(w[0])));
    if (out_.first_ns == kNoTime || now.ns < out_.first_ns) out_.first_ns = now.ns;
    if (now.ns > out_.last_ns) out_.last_ns = now.ns;
    ++out_.records;
    if (is_start(tag)) {
      start(w, now);
    } else if (is_stop(tag)) {
      stop(w, now);
    } else if (is_state(tag)) {
      state(w, now);
    } else {
      comm_record(w, now);
    }
  }
}

JoinedComm& OperationJoin::comm(uint32_t number) {
  const uint64_t key = uint64_t{number} + 1;
  uint32_t at = comm_at_.find(key);
  if (at == IdMap::kNone) {
    at = static_cast<uint32_t>(out_.comms.size());
    comm_at_.set(key, at);
    out_.comms.emplace_back().number = number;
  }
  return out_.comms[at];
}

void OperationJoin::know_comm(const JoinedComm& known) {
  JoinedComm& c = comm(known.number);
  if (c.nranks == 0) c = known;
}

void OperationJoin::know_gpu(GpuSnapshot snapshot) {
  constexpr int64_t kMarginNs = 1'000'000'000;
  if (snapshot.raw_hi_ns < out_.first_ns - kMarginNs ||
      snapshot.raw_lo_ns > out_.last_ns + kMarginNs) {
    return;
  }
  gpu_.snapshot(std::move(snapshot));
}

void OperationJoin::comm_record(Words w, const Now& now) {
  JoinedComm& c = comm(low32(w[1]));
  const Tag tag = tag_of(w[0]);
  if (tag == kCommInitTag) {
    c.comm_id = w[2];
    c.rank = rank_word(w);
    c.nranks = static_cast<int32_t>(high32(w[3]));
    c.nnodes = static_cast<int32_t>(low32(w[4]));
    c.name = now.text(part16(w[4], 3));
    c.init_ns = now.ns;
    c.init_real_ns = static_cast<int64_t>(now.clock->real_ns(ticks_of(w[0])));
  } else if (tag == kCommFinalizeTag) {
    c.finalize_ns = now.ns;
  } else {
    if (w[2] != 0) c.comm_id = w[2];
    if (const Text name = now.text(part16(w[3], 0)); name != 0) c.name = name;
  }
}

void OperationJoin::start(Words w, const Now& now) {
  switch (static_cast<Kind>(tag_of(w[0]))) {
    case Kind::GroupApi: {
      group_at_.set(id_word(w), static_cast<uint32_t>(groups_.size()));
      groups_.emplace_back().start_ns = now.ns;
      return;
    }
    case Kind::CollApi:
    case Kind::P2pApi:
      return start_api(w, now);
    case Kind::Coll:
    case Kind::P2p:
    case Kind::CeColl:
      return start_operation(w, now);
    case Kind::KernelLaunch: {
      launch_at_.set(id_word(w), static_cast<uint32_t>(launch_groups_.size()));
      launch_groups_.push_back(parent_word(w));
      const uint32_t group = group_at_.find(parent_word(w));
      if (group != IdMap::kNone && groups_[group].launch_start_ns == kNoTime) {
        groups_[group].launch_start_ns = now.ns;
      }
      return;
    }
    case Kind::KernelCh: {
      const uint32_t at = take(&kernels_, &free_kernels_);
      kernels_[at] = {parent_word(w), w[4], 0, now.ns, kNoTime, part8(w[3], 4)};
      kernel_at_.set(id_word(w), at);
      if (w[4] != 0) gpu_.seen(comm_of(parent_word(w)), w[4], now.ns);
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

void OperationJoin::start_api(Words w, const Now& now) {
  const bool is_coll = static_cast<Kind>(tag_of(w[0])) == Kind::CollApi;
  ApiCall api;
  api.id = id_word(w);
  api.group_id = parent_word(w);
  api.start_ns = now.ns;
  api.count = w[4];
  api.func = now.text(part16(w[5], 0));
  api.datatype = now.text(part16(w[5], 1));
  api.root = is_coll ? static_cast<int32_t>(high32(w[5])) : -1;
  api.stream = w[6];
  api.tid = now.tid;
  api.captured = high32(w[3]) != 0;
  api_at_.set(api.id, static_cast<uint32_t>(apis_.size()));
  apis_.push_back(api);
}

void OperationJoin::start_operation(Words w, const Now& now) {
  const Kind kind = static_cast<Kind>(tag_of(w[0]));
  OperationRow row;
  Launch launch{parent_word(w), 0, false};
  row.event_id = id_word(w);
  row.enqueue_ns = row.last_progress_ns = now.ns;
  row.communicator = comm_of(row.event_id);
  row.rank = rank_word(w);
  row.tid = now.tid;
  if (kind == Kind::Coll) {
    row.kind = OpKind::Collective;
    row.channels = part8(w[3], 4);
    launch.sequence = w[5];
    launch.has_sequence = true;
    row.count = w[6];
    row.func = now.text(part16(w[9], 0));
    row.datatype = now.text(part16(w[9], 1));
    row.algo = now.text(part16(w[9], 2));
    row.proto = now.text(part16(w[9], 3));
    row.peer = static_cast<int32_t>(low32(w[10]));
  } else if (kind == Kind::P2p) {
    row.kind = OpKind::PointToPoint;
    row.channels = part8(w[3], 4);
    row.count = w[5];
    row.func = now.text(part16(w[7], 0));
    row.datatype = now.text(part16(w[7], 1));
    row.peer = static_cast<int32_t>(high32(w[7]));
  } else {
    row.kind = OpKind::CopyEngine;
    row.count = w[5];
    row.func = now.text(part16(w[8], 0));
    row.datatype = now.text(part16(w[8], 1));
    row.peer = static_cast<int32_t>(low32(w[9]));
    row.stream = w[11];
  }
  row_at_.set(row.event_id, static_cast<uint32_t>(out_.rows.size()));
  out_.rows.push_back(row);
  launches_.push_back(launch);
}

void OperationJoin::start_proxy_op(Words w, const Now& now) {
  const ProxyOpWords op = proxy_op_words(w);
  const uint32_t at = take(&works_, &free_works_);
  ProxyWork& work = works_[at];
  work.parent = parent_word(w);
  work.start_ns = work.last_ns = now.ns;
  work.rank = rank_word(w);
  work.peer = op.peer;
  work.pid = op.pid;
  work.planned = op.steps;
  work.channel = op.channel;
  work.is_send = op.is_send;
  work_at_.set(id_word(w), at);
}

void OperationJoin::start_step(Words w, const Now& now) {
  const uint32_t work_at = work_at_.find(parent_word(w));
  if (work_at == IdMap::kNone) {
    ++out_.orphans;
    return;
  }
  ProxyWork& work = works_[work_at];
  work.stepped = true;
  work.last_ns = now.ns;
  const uint32_t number = high32(w[3]);
  uint32_t& slot = work.slots[number % work.slots.size()];
  // A receive step is started again on every pass until the network takes it: one step, its first
  // start counts.
  if (slot != 0 && steps_[slot - 1].number == number && steps_[slot - 1].times.state == kNoState) {
    OpenStep& step = steps_[slot - 1];
    step_at_.erase(step.id);
    step.id = id_word(w);
    ++step.times.retries;
    step_at_.set(step.id, slot - 1);
    return;
  }
  const uint32_t at = take(&steps_, &free_steps_);
  OpenStep& step = steps_[at];
  step.id = id_word(w);
  step.work = parent_word(w);
  step.number = number;
  step.times.start(now.ns);
  step_at_.set(step.id, at);
  slot = at + 1;
}

void OperationJoin::state(Words w, const Now& now) {
  const uint64_t id = id_word(w);
  const auto number = static_cast<uint8_t>(tag_of(w[0]) - kStateTag);
  const Kind kind = kind_of(id);
  if (kind == Kind::ProxyStep) {
    const uint32_t at = step_at_.find(id);
    if (at == IdMap::kNone) return;
    steps_[at].times.enter(number, state_has_argument(number) ? w[2] : kNoArgument, now.ns);
    const uint32_t work = work_at_.find(steps_[at].work);
    if (work != IdMap::kNone) works_[work].last_ns = now.ns;
  } else if (number == kKernelChStop) {
    const uint32_t at = kernel_at_.find(id);
    if (at == IdMap::kNone || w[2] == kNoArgument) return;
    kernels_[at].gpu_stop = w[2];
    if (are_an_interval(kernels_[at].gpu_start, w[2]))
      gpu_.seen(comm_of(kernels_[at].parent), w[2], now.ns);
  } else if (number == kProxyOpInProgress) {
    const uint32_t work = work_at_.find(id);
    if (work != IdMap::kNone) {
      works_[work].last_ns = now.ns;
      works_[work].stepped = true;
    }
  }
}

void OperationJoin::stop_step(uint64_t id, int64_t now_ns) {
  const uint32_t at = step_at_.find(id);
  if (at == IdMap::kNone) return;
  OpenStep& step = steps_[at];
  step.times.leave(now_ns);
  const uint32_t work_at = work_at_.find(step.work);
  if (work_at != IdMap::kNone) {
    ProxyWork& work = works_[work_at];
    for (unsigned i = 0; i < kStretches; ++i) work.spent[i] += step.times.spent[i];
    work.bytes += step.times.size_bytes;
    work.retries += step.times.retries;
    work.last_ns = now_ns;
    ++work.steps;
    uint32_t& slot = work.slots[step.number % work.slots.size()];
    if (slot == at + 1) slot = 0;
  }
  step_at_.erase(id);
  step.id = 0;
  free_steps_.push_back(at);
}

void OperationJoin::stop_proxy_op(uint64_t id, int64_t now_ns) {
  const uint32_t at = work_at_.find(id);
  if (at == IdMap::kNone) return;
  ProxyWork& work = works_[at];
  work.stop_ns = work.last_ns = now_ns;
  for (const uint32_t slot : work.slots) {  // steps whose stop was lost
    if (slot == 0) continue;
    step_at_.erase(steps_[slot - 1].id);
    steps_[slot - 1].id = 0;
    free_steps_.push_back(slot - 1);
  }
  if (!fold(work)) works_done_.push_back(work);
  work = {};
  work_at_.erase(id);
  free_works_.push_back(at);
}

void OperationJoin::stop(Words w, const Now& now) {
  const uint64_t id = id_word(w);
  switch (static_cast<Kind>(tag_of(w[0]) - kStopTag)) {
    case Kind::ProxyStep:
      return stop_step(id, now.ns);
    case Kind::ProxyOp:
      return stop_proxy_op(id, now.ns);
    case Kind::KernelCh: {
      const uint32_t at = kernel_at_.find(id);
      if (at == IdMap::kNone) return;
      kernels_[at].stop_ns = now.ns;
      gpu_.ended(kernels_[at].parent, kernels_[at].channel, kernels_[at].gpu_start,
                 kernels_[at].gpu_stop);
      if (!fold(kernels_[at])) kernels_done_.push_back(kernels_[at]);
      kernel_at_.erase(id);
      kernels_[at] = {};
      free_kernels_.push_back(at);
      return;
    }
    case Kind::CollApi:
    case Kind::P2pApi: {
      const uint32_t at =
          api_at_.find(id);  // NCCL may stop an old handle again (hazard 11): the first counts
      if (at != IdMap::kNone && apis_[at].stop_ns == kNoTime) apis_[at].stop_ns = now.ns;
      return;
    }
    case Kind::GroupApi: {
      const uint32_t at = group_at_.find(id);
      if (at != IdMap::kNone && groups_[at].stop_ns == kNoTime) groups_[at].stop_ns = now.ns;
      return;
    }
    case Kind::KernelLaunch: {
      const uint32_t at = launch_at_.find(id);
      const uint32_t group = at == IdMap::kNone ? at : group_at_.find(launch_groups_[at]);
      if (group != IdMap::kNone) groups_[group].launch_stop_ns = now.ns;
      launch_at_.erase(id);
      return;
    }
    default:
      return;
  }
}

}  // namespace lockstep::analysis
