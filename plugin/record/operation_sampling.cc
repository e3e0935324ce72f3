#include "plugin/record/operation_sampling.h"

#include "plugin/record/capture_watch.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {

OperationSampling operation_sampling;

namespace {

bool says_so(EventId parent) {
  return parent != 0 && !is_unrecorded(parent) && (serial_of(parent) & 1) != 0;
}

void make_next_serial(ThreadLog& log, bool odd) {
  while (log.serial == log.serial_end || ((log.serial & 1) != 0) != odd) {
    if (log.serial == log.serial_end)
      next_serials(log);
    else
      ++log.serial;
  }
}

}  // namespace

// Out of line for every kind that somebody watches.
bool watched_start(uint64_t gate, uint64_t ticks, uint32_t comm, Kind kind, EventId parent,
                   uint64_t number) {
  if ((gate & Recorder::kWatching) == 0) return false;
  if (kind == Kind::CollApi) capture_watch.call(comm, ticks);
  return (gate >> (Recorder::kEnabledShift + static_cast<unsigned>(kind)) & 1) != 0 &&
         operation_sampling.takes(kind, comm, parent, number);
}

void OperationSampling::choose(uint32_t one_in, bool all_outside, bool all_in_captures) {
  one_in_.store(one_in, std::memory_order_relaxed);
  all_outside_.store(all_outside, std::memory_order_relaxed);
  all_in_captures_.store(all_in_captures, std::memory_order_relaxed);
}

void OperationSampling::begin_comm(uint32_t comm, int32_t ranks) {
  if (one_in_.load(std::memory_order_relaxed) == 1 || comm >= kComms || ranks <= 0) return;
  pairs_[comm].store(new Pairs(size_t{2} * static_cast<size_t>(ranks)), std::memory_order_release);
}

bool OperationSampling::is_nth_of_pair(uint32_t comm, uint64_t pair, uint32_t one_in) {
  Pairs* const pairs = comm < kComms ? pairs_[comm].load(std::memory_order_acquire) : nullptr;
  if (pairs == nullptr || pair >= pairs->count) return false;
  return pairs->before[pair].fetch_add(1, std::memory_order_relaxed) % one_in == 0;
}

bool OperationSampling::is_chosen(Kind kind, uint32_t comm, uint64_t number) {
  const uint32_t one_in = one_in_.load(std::memory_order_relaxed);
  const bool nth = kind == Kind::P2p ? is_nth_of_pair(comm, number, one_in) : number % one_in == 0;
  // Of a capture by position the mask is wide from the call before it on, and narrow from its last one on.
  const CapturePhase phase = capture_watch.phase();
  const bool captured = phase == CapturePhase::Started || phase == CapturePhase::Closed;
  return nth || (captured ? all_in_captures_ : all_outside_).load(std::memory_order_relaxed);
}

bool OperationSampling::takes(Kind kind, uint32_t comm, EventId parent, uint64_t number) {
  if ((kWatched >> static_cast<unsigned>(kind) & 1) == 0) return true;
  const bool operation = kind == Kind::Coll || kind == Kind::P2p;
  const bool chosen = operation ? is_chosen(kind, comm, number) : says_so(parent);
  const bool always = operation || kind == Kind::ProxyOp || kind == Kind::KernelCh;
  if (!chosen && !always) return false;
  make_next_serial(own_log(), chosen);
  return true;
}

}  // namespace lockstep::plugin
