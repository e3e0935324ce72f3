// What a start record adds to the join: a call, an operation, a kernel channel, a network operation
// or one of its steps.
#include "analysis/join/operations.h"

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

void OperationJoin::start(Words w, const Now& now) {
  switch (static_cast<Kind>(tag_of(w[0]))) {
    case Kind::GroupApi: {
      group_at_.set(id_word(w), static_cast<uint32_t>(groups_.size()));
      groups_.emplace_back();
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

}  // namespace lockstep::analysis
