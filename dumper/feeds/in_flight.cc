#include "dumper/feeds/in_flight.h"

#include <algorithm>

#include "dumper/feeds/quiet_times.h"
#include "lockstep/kind_mask.h"

namespace lockstep::dumper {
namespace {

constexpr bool is_operation(EventId id) {
  return !is_unrecorded(id) && (kind_of(id) == Kind::Coll || kind_of(id) == Kind::P2p) &&
         serial_of(id) != 0;
}

}  // namespace

void InFlight::apply(const uint64_t* words, Tag tag) {
  switch (tag) {
    case start_tag(Kind::Coll):
    case start_tag(Kind::P2p):
      return start_operation(words);
    case start_tag(Kind::KernelCh):
      return start_kernel(words);
    case start_tag(Kind::ProxyOp):
      return start_proxy_op(words);
    case stop_tag(Kind::Coll):
    case stop_tag(Kind::P2p):
    case stop_tag(Kind::KernelCh):
    case stop_tag(Kind::ProxyOp):
      return stop(words);
    case state_tag(kKernelChStop):
      return stop_kernel_clock(words);
    case kCommFinalizeTag:
      finalized_at_ticks_[static_cast<uint32_t>(CommRecord::read(words).comm)] = ticks_of(words[0]);
      return;
    default:
      return;
  }
}

// The operation, made when a child or its own start names it first.
Operation* InFlight::operation(EventId id) {
  const auto found = operations_.find(id);
  if (found != operations_.end()) return &found->second;
  if (operations_.size() >= max_operations_) make_room();
  Operation& made = operations_[id];
  made.id = id;
  return &made;
}

void InFlight::start_operation(const uint64_t* words) {
  const auto start = StartRecord::read(words);
  Operation& op = *operation(start.id);
  op.started = true;
  op.wants_kernel = (kinds_ & kind_bit(Kind::KernelCh)) != 0;
  op.wants_proxy = (kinds_ & kind_bit(Kind::ProxyOp)) != 0;
  op.start_ticks = ticks_of(words[0]);
  op.last_ticks = std::max(op.last_ticks, op.start_ticks);
  op.rank = start.event_rank;
  if (op.is_p2p()) {
    const auto p2p = P2pRecord::read(words);
    op.sequence = ++p2p_numbers_[comm_of(op.id)];
    op.channels = p2p.channels;
    op.count = p2p.count;
    op.func = p2p.func;
    op.datatype = p2p.datatype;
    op.peer = p2p.peer;
  } else {
    const auto coll = CollRecord::read(words);
    op.channels = coll.channels;
    op.sequence = coll.seq_number;
    op.count = coll.count;
    op.func = coll.func;
    op.datatype = coll.datatype;
    op.algo = coll.algo;
    op.proto = coll.proto;
  }
}

Operation* InFlight::parent_of(const uint64_t* words) {
  const EventId parent = StartRecord::read(words).parent;
  if (is_operation(parent)) return operation(parent);
  ++orphans_;
  return nullptr;
}

void InFlight::start_kernel(const uint64_t* words) {
  Operation* op = parent_of(words);
  if (op == nullptr) return;
  const auto start = KernelChRecord::read(words);
  KernelSpan span;
  span.id = start.id;
  span.channel = start.channel;
  span.start_gpu_ns = start.p_timer;
  span.start_ticks = ticks_of(words[0]);
  children_[span.id] = {op->id, op->kernels.size()};
  op->kernels.push_back(span);
  ++op->open_kernels;
  op->last_ticks = std::max(op->last_ticks, span.start_ticks);
}

void InFlight::start_proxy_op(const uint64_t* words) {
  // Under PXN the parent is another process's id; such an operation has no communicator of ours.
  const EventId id = EventRecord::read(words).id;
  if (comm_of(id) == kUnknownComm) return;
  Operation* op = parent_of(words);
  if (op == nullptr) return;
  children_[id] = {op->id, 0};
  ++op->proxy_ops;
  op->open_proxy_ops.push_back(id);
  op->last_ticks = std::max(op->last_ticks, ticks_of(words[0]));
}

KernelSpan* InFlight::kernel(EventId id, Operation** owner) {
  const auto child = children_.find(id);
  if (child == children_.end()) return nullptr;
  const auto found = operations_.find(child->second.parent);
  if (found == operations_.end() || child->second.kernel >= found->second.kernels.size())
    return nullptr;
  *owner = &found->second;
  return &found->second.kernels[child->second.kernel];
}

void InFlight::stop_kernel_clock(const uint64_t* words) {
  Operation* op = nullptr;
  const auto state = StateRecord::read(words);
  KernelSpan* span = kernel(state.id, &op);
  if (span == nullptr) return;
  span->record_ticks = ticks_of(words[0]);
  span->stop_gpu_ns = state.argument;
  op->last_ticks = std::max(op->last_ticks, span->record_ticks);
}

void InFlight::stop(const uint64_t* words) {
  const EventId id = EventRecord::read(words).id;
  const uint64_t ticks = ticks_of(words[0]);
  Operation* op = nullptr;
  if (is_operation(id)) {
    const auto found = operations_.find(id);
    if (found == operations_.end()) return;
    op = &found->second;
    if (op->stop_ticks == 0) op->stop_ticks = ticks;
  } else if (kind_of(id) == Kind::KernelCh) {
    KernelSpan* span = kernel(id, &op);
    if (span == nullptr) return;
    if (span->open) --op->open_kernels;
    span->open = false;
    span->stop_ticks = ticks;
    children_.erase(id);
  } else {
    const auto child = children_.find(id);
    if (child == children_.end()) return;
    const auto found = operations_.find(child->second.parent);
    children_.erase(child);
    if (found == operations_.end()) return;
    op = &found->second;
    auto& open = op->open_proxy_ops;
    open.erase(std::remove(open.begin(), open.end(), id), open.end());
  }
  op->last_ticks = std::max(op->last_ticks, ticks);
}

void InFlight::forget_children(const Operation& op) {
  for (const KernelSpan& span : op.kernels) {
    if (span.open) children_.erase(span.id);
  }
  for (const EventId id : op.open_proxy_ops) children_.erase(id);
}

// The oldest tenth goes at once, so that the search for it stays rare.
void InFlight::make_room() {
  std::vector<std::pair<uint64_t, EventId>> by_age;
  by_age.reserve(operations_.size());
  for (const auto& [id, op] : operations_) by_age.emplace_back(op.last_ticks, id);
  const size_t leave = by_age.size() / 10 + 1;
  std::nth_element(by_age.begin(), by_age.begin() + static_cast<ptrdiff_t>(leave - 1),
                   by_age.end());
  for (size_t i = 0; i < leave; ++i) {
    const auto found = operations_.find(by_age[i].second);
    forget_children(found->second);
    if (found->second.started) leaving_.push_back(std::move(found->second));
    operations_.erase(found);
  }
  pushed_out_ += leave;
}

bool InFlight::is_done(const Operation& op, uint64_t quiet_ns) const {
  if (op.open_kernels != 0) return false;
  const bool kernel_done = op.channels != 0 && op.kernels.size() >= op.channels;
  if (!op.open_proxy_ops.empty() || op.stop_ticks == 0)
    return kernel_done && quiet_ns > kNeverStopsNs;
  if (kernel_done) return true;
  if (op.is_p2p() && op.peer == op.rank) return true;  // to itself: neither kernel nor proxy
  if (op.wants_kernel) {
    if (op.channels == 0 && !op.kernels.empty()) return quiet_ns > kLastChannelNs;
    return op.proxy_ops != 0 && quiet_ns > kNoKernelNs;
  }
  if (!op.wants_proxy) return true;
  return quiet_ns > (op.proxy_ops != 0 ? kLastChannelNs : kNeverStopsNs);
}

void InFlight::settle(uint64_t complete_ticks, double ns_per_tick, bool final, const Done& done) {
  std::vector<Operation> leaving = std::move(leaving_);
  leaving_.clear();
  for (auto it = operations_.begin(); it != operations_.end();) {
    Operation& op = it->second;
    const bool settled = op.last_ticks < complete_ticks;
    const auto quiet_ns =
        settled ? static_cast<uint64_t>(static_cast<double>(complete_ticks - op.last_ticks) *
                                        ns_per_tick)
                : 0;
    op.complete = (settled || final) && op.started && is_done(op, quiet_ns);
    const auto finalized = finalized_at_ticks_.find(comm_of(op.id));
    const bool ended = finalized != finalized_at_ticks_.end() &&
                       finalized->second < complete_ticks && quiet_ns > kNeverStopsNs;
    const bool lost = !op.started && quiet_ns > kNoKernelNs;
    if (!final && !op.complete && !ended && !lost) {
      ++it;
      continue;
    }
    forget_children(op);
    if (op.started) {
      leaving.push_back(std::move(op));
    } else {
      ++orphans_;
    }
    it = operations_.erase(it);
  }
  std::sort(leaving.begin(), leaving.end(),
            [](const Operation& a, const Operation& b) { return a.start_ticks < b.start_ticks; });
  for (const Operation& op : leaving) done(op);
}

std::vector<const Operation*> InFlight::oldest(size_t most) const {
  std::vector<const Operation*> all;
  for (const auto& [id, op] : operations_) {
    if (op.started) all.push_back(&op);
  }
  const auto older = [](const Operation* a, const Operation* b) {
    return a->start_ticks < b->start_ticks;
  };
  const size_t count = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<ptrdiff_t>(count), all.end(), older);
  all.resize(count);
  return all;
}

}  // namespace lockstep::dumper
