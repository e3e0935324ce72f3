#include "plugin/capture/capture_surroundings.h"

#include <sys/timex.h>
#include <unistd.h>

#include "base/clock_ns.h"
#include "plugin/record/recorder.h"
#include "plugin/record/tick_clock.h"

namespace lockstep::plugin {
namespace {

// Counting begins so long after it was asked for: time for every thread to see it.
constexpr int64_t kAheadNs = 20'000'000;
// A call that is counted proves that all before it are recorded. Where none comes for so long, the
// calls before have returned long ago.
constexpr int64_t kLongestWaitNs = 500'000'000;
constexpr unsigned kLookUs = 1000;
constexpr uint64_t kLongestDrainUs = 500000;
constexpr int kDrains = 4;

dumper::ChunkClock clock_now(const CaptureParts& parts) {
  dumper::Round round;
  round.arena = parts.arena.header();
  round.now = take_anchor();
  return dumper::clock_of(round);
}

uint64_t ticks_in(const CaptureParts& parts, int64_t ns) {
  return now_ticks() +
         static_cast<uint64_t>(static_cast<double>(ns) / dumper::ns_per_tick(clock_now(parts)));
}

uint64_t calls_lost(const ArenaHeader& arena, uint32_t comm) {
  uint64_t calls = 0;
  for (const LossEntry& entry : arena.losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    if (key != 0 && loss_comm(key) == comm && loss_call(key) == Call::Start &&
        loss_kind(key) == static_cast<unsigned>(Kind::CollApi))
      calls += entry.count.load(std::memory_order_relaxed);
  }
  return calls;
}

std::optional<uint32_t> number_of_comm(const CaptureParts& parts, uint64_t id) {
  for (const dumper::CommStanding& standing : parts.progress.snapshot().comms) {
    if (standing.facts.id == id) return standing.facts.comm;
  }
  return std::nullopt;
}

Result<uint64_t> watch_calls(const CaptureParts& parts, uint32_t comm) {
  const uint64_t lost = calls_lost(*parts.arena.header(), comm);
  if (lost != 0)
    return Status::error(std::to_string(lost) +
                         " calls of this communicator are not recorded, so that its position is "
                         "not known; capture by an instant or by steps");
  const uint64_t from_ticks = ticks_in(parts, kAheadNs);
  parts.progress.count_calls_before(comm, from_ticks);
  if (!capture_watch.arm_position(comm, from_ticks))
    return Status::error("the program has begun a capture itself");
  if (now_ticks() >= from_ticks)
    return Status::error("the machine is too busy to count calls from one instant on; try again");
  const int64_t until_ns = mono_now_ns() + kAheadNs + kLongestWaitNs;
  while (now_ticks() < from_ticks || (capture_watch.calls() == 0 && mono_now_ns() < until_ns))
    usleep(kLookUs);
  for (int i = 0; i < kDrains; ++i) {
    parts.dump.flush(kLongestDrainUs);
    if (const std::optional<uint64_t> calls = parts.progress.calls_before()) return *calls;
  }
  return Status::error(
      "what was recorded so far is not drained: the disk is slow or full; try again");
}

CaptureCosts costs_now(const CaptureParts& parts) {
  CaptureCosts costs;
  costs.bytes = parts.dump.written().bytes;
  costs.records = parts.dump.records_written();
  for (const LossEntry& entry : parts.arena.header()->losses)
    costs.calls_not_recorded += entry.count.load(std::memory_order_relaxed);
  costs.overhead_ns = parts.overhead.callbacks_ns.load(std::memory_order_relaxed) +
                      parts.overhead.threads_ns.load(std::memory_order_relaxed);
  return costs;
}

// The kernel's own bound grows by 500 ppm between corrections by a time service.
std::optional<int64_t> bound_of_wall_clock() {
  timex state{};  // modes 0: only reads
  const int told = adjtimex(&state);
  if (told < 0 || told == TIME_ERROR || (state.status & STA_UNSYNC) != 0) return std::nullopt;
  return int64_t{state.maxerror} * 1000;
}

}  // namespace

CaptureSurroundings capture_surroundings(const CaptureParts& parts) {
  CaptureSurroundings made;
  made.comm_of = [parts](uint64_t id) { return number_of_comm(parts, id); };
  made.watch_calls = [parts](uint32_t comm) { return watch_calls(parts, comm); };
  made.costs = [parts] { return costs_now(parts); };
  made.raw_ns = [parts](uint64_t ticks) {
    return static_cast<int64_t>(clock_now(parts).raw_ns(ticks));
  };
  made.ticks_in = [parts](int64_t ns) { return ticks_in(parts, ns); };
  made.wall_bound_ns = bound_of_wall_clock;
  return made;
}

}  // namespace lockstep::plugin
