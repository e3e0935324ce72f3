#include "plugin/record/overhead_meter.h"

#include <cstdio>

#include "base/clock_ns.h"
#include "lockstep/kind_mask.h"

namespace lockstep::plugin {
namespace {

constexpr uint64_t kSecondNs = 1000000000;
constexpr unsigned kSampledEvents = 8;
constexpr double kNewSampleShare = 0.1;
constexpr unsigned kSecondsBelow = 10;

// As for memory (recorder.cc): operations are never given up.
constexpr uint32_t kClasses[] = {
    kind_bit(Kind::NetPlugin),
    kind_bit(Kind::ProxyCtrl),
    kind_bit(Kind::ProxyStep),
    kind_bit(Kind::KernelPhase) | kind_bit(Kind::CeSync) | kind_bit(Kind::CeBatch),
    kind_bit(Kind::ProxyOp),
    kind_bit(Kind::KernelCh),
};
constexpr unsigned kClassCount = sizeof kClasses / sizeof kClasses[0];

// Starts and stops into the calling thread's block. The kinds here are never shed for memory, so
// that no loss can be counted.
template <typename Record>
void make_calls() {
  for (unsigned i = 0; i < kSampledEvents; ++i) {
    void* handle = nullptr;
    record_start<Record>(1, nullptr, &handle, [i](ThreadLog&) {
      Record record;
      record.event_rank = static_cast<int32_t>(i);
      return record;
    });
    record_stop(handle);
  }
}

}  // namespace

uint32_t kinds_of_first_classes(unsigned classes) {
  uint32_t kinds = 0;
  for (unsigned i = 0; i < classes && i < kClassCount; ++i) kinds |= kClasses[i];
  return kinds;
}

OverheadMeter::OverheadMeter(EventSwitch& events, const dumper::DumpThread& dump,
                             dumper::Overhead& overhead, double budget_percent)
    : events_(events),
      dump_(dump),
      overhead_(overhead),
      budget_percent_(budget_percent),
      scratch_(new char[kBlockBytes]()),
      started_mono_ns_(static_cast<uint64_t>(mono_now_ns())) {}

void OverheadMeter::sample_call_cost() {
  ThreadLog& log = thread_log;
  log = ThreadLog{};
  log.block = reinterpret_cast<BlockHeader*>(scratch_.get());
  log.tid = 1;  // any but 0: this thread has entered
  log.serial = 1;
  log.serial_end = ~uint64_t{0};
  log.cursor = scratch_.get() + sizeof(BlockHeader);
  log.limit = scratch_.get() + kBlockBytes;
  events_.with_kinds([&](uint32_t kinds) {
    const bool coll = (kinds & kind_bit(Kind::Coll)) != 0;
    if (!coll && (kinds & kind_bit(Kind::GroupApi)) == 0) return;
    const uint64_t before_ns = static_cast<uint64_t>(raw_now_ns());
    coll ? make_calls<CollRecord>() : make_calls<GroupApiRecord>();
    const auto took_ns = static_cast<double>(static_cast<uint64_t>(raw_now_ns()) - before_ns);
    const double one_ns = took_ns / (2 * kSampledEvents);
    call_ns_ = call_ns_ == 0 ? one_ns : call_ns_ + kNewSampleShare * (one_ns - call_ns_);
  });
  log = ThreadLog{};
}

uint64_t OverheadMeter::calls_so_far() const {
  uint64_t calls = dump_.records_written();
  for (const LossEntry& entry : recorder.arena->losses)
    calls += entry.count.load(std::memory_order_relaxed);
  return calls;
}

void OverheadMeter::tick() {
  sample_call_cost();
  const uint64_t calls = calls_so_far();
  const double cost_ns = static_cast<double>(calls - calls_counted_) * call_ns_;
  calls_counted_ = calls;
  const auto relaxed = std::memory_order_relaxed;
  overhead_.calls.store(calls, relaxed);
  overhead_.callbacks_ns.fetch_add(static_cast<uint64_t>(cost_ns), relaxed);
  overhead_.threads_ns.store(dump_.cpu_ns() + static_cast<uint64_t>(thread_cpu_now_ns()), relaxed);
  overhead_.elapsed_ns.store(static_cast<uint64_t>(mono_now_ns()) - started_mono_ns_, relaxed);
  const Totals now{overhead_.elapsed_ns.load(relaxed),
                   overhead_.callbacks_ns.load(relaxed) + overhead_.threads_ns.load(relaxed)};
  if (budget_percent_ > 0 && now.elapsed_ns - second_began_.elapsed_ns >= kSecondNs)
    keep_budget(now);
}

void OverheadMeter::keep_budget(const Totals& now) {
  const double percent = 100 * static_cast<double>(now.cost_ns - second_began_.cost_ns) /
                         static_cast<double>(now.elapsed_ns - second_began_.elapsed_ns);
  second_began_ = now;
  seconds_below_ = percent < budget_percent_ / 2 ? seconds_below_ + 1 : 0;
  char why[96];
  std::snprintf(why, sizeof why, "the last second cost %.2f percent, the budget is %.2f", percent,
                budget_percent_);
  if (percent > budget_percent_ && classes_held_ < kClassCount) {
    // Kinds that nobody asked for bring nothing.
    const uint32_t before = events_.kinds();
    while (classes_held_ < kClassCount && (before & kClasses[classes_held_]) == 0) ++classes_held_;
    if (classes_held_ < kClassCount) ++classes_held_;
    events_.hold_back(kinds_of_first_classes(classes_held_), why);
  } else if (seconds_below_ >= kSecondsBelow && classes_held_ > 0) {
    seconds_below_ = 0;
    events_.hold_back(kinds_of_first_classes(--classes_held_), why);
  }
}

}  // namespace lockstep::plugin
