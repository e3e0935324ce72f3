#include "analysis/join/operations.h"

namespace lockstep::analysis {

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

void OperationJoin::know_gpu(GpuSnapshot snapshot, Text gpu) {
  constexpr int64_t kMarginNs = 1'000'000'000;
  if (snapshot.raw_hi_ns < out_.first_ns - kMarginNs ||
      snapshot.raw_lo_ns > out_.last_ns + kMarginNs) {
    return;
  }
  for (const uint64_t number : snapshot.comms) {
    const uint32_t at = comm_at_.find(number + 1);
    if (at != IdMap::kNone) out_.comms[at].gpu = gpu;
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
