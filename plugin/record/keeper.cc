#include "plugin/record/keeper.h"

#include <algorithm>
#include <utility>

#include "base/clock_ns.h"
#include "plugin/record/recorder.h"
#include "plugin/record/tick_clock.h"

namespace lockstep::plugin {
namespace {

// 5 ms while blocks are taken: real NCCL makes at most some 50 MB/s of records per proxy thread, so the
// blocks kept ahead last over 100 ms. 20 ms once none was for a tenth of a second: on a virtual machine
// that sleeps otherwise, 200 wake-ups a second cost 0.7 % of a core.
constexpr uint64_t kTickUs = 5000, kQuietTickUs = 20000;
constexpr uint64_t kBusyNs = 100'000'000;  // after the last block
constexpr uint32_t kBlocksAhead = 128;     // 8 MiB
constexpr size_t kFullBlocksToWake = 16;   // 1 MiB
constexpr uint64_t kAnchorUs = 100000;
constexpr uint32_t kQuietTicks = 600;  // 3 s without need before memory is given back

}  // namespace

bool Keeper::start(uint64_t dump_interval_us, std::function<void()> wake_dumper) {
  wake_dumper_ = std::move(wake_dumper);
  set_interval_us(dump_interval_us);
  stopping_.store(false, std::memory_order_relaxed);
  take_clock_anchor();
  reserve_ahead();
  return thread_.start("lockstep-keep", run, this);
}

void Keeper::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  waker_.wake();
  thread_.join();
}

void* Keeper::run(void* self) {
  static_cast<Keeper*>(self)->loop();
  return nullptr;
}

void Keeper::loop() {
  uint64_t last_anchor_ns = static_cast<uint64_t>(mono_now_ns()), last_dump_ns = last_anchor_ns,
           last_taken_ns = last_anchor_ns;
  while (!stopping_.load(std::memory_order_relaxed)) {
    const uint64_t now_ns = static_cast<uint64_t>(mono_now_ns());
    note_use();
    // Giving memory back goes by ticks; a small cap is soon full.
    const bool quiet = now_ns - last_taken_ns >= kBusyNs && quiet_ticks_ == 0 &&
                       arena_.max_blocks() >= 4 * kBlocksAhead;
    uint64_t most_us = quiet ? kQuietTickUs : kTickUs;
    try {
      if (watch_) most_us = std::min(most_us, static_cast<uint64_t>(watch_()) / 1000);
      if (reserve_ahead()) last_taken_ns = now_ns;
      release_surplus();
      if (now_ns - last_anchor_ns >= kAnchorUs * 1000) {
        take_clock_anchor();
        last_anchor_ns = now_ns;
        if (tick_) tick_();
      }
    } catch (...) {  // out of memory: the next tick tries again
    }
    const uint64_t interval_ns = interval_us_.load(std::memory_order_relaxed) * 1000;
    if (now_ns - last_dump_ns >= interval_ns || has_much_to_write()) {
      wake_dumper_();
      last_dump_ns = now_ns;
    }
    waker_.sleep_us(std::min(most_us, std::max<uint64_t>(interval_ns / 1000, 1000)));
  }
}

void Keeper::take_clock_anchor() {
  ArenaHeader* header = arena_.header();
  const uint64_t taken = header->anchors_taken.load(std::memory_order_relaxed);
  header->anchors[taken % kArenaAnchors] = take_anchor();
  header->anchors_taken.store(taken + 1, std::memory_order_release);
}

void Keeper::note_use() {
  const uint32_t in_use = recorder.blocks_in_use();
  if (in_use > most_in_use_.load(std::memory_order_relaxed))
    most_in_use_.store(in_use, std::memory_order_relaxed);
}

// However long the interval is, no record is shed while full blocks wait.
bool Keeper::has_much_to_write() const {
  const size_t full = queue_.full_count();
  return full >= kFullBlocksToWake ||
         (full != 0 && recorder.blocks_in_use() >= arena_.header()->max_blocks / 2);
}

// In a burst, four times what the last tick took: the keeper may be late on a busy machine.
bool Keeper::reserve_ahead() {
  const uint64_t taken = arena_.header()->next_sequence.load(std::memory_order_relaxed);
  const auto burst =
      static_cast<uint32_t>(std::min<uint64_t>(4 * (taken - taken_), arena_.max_blocks()));
  const bool any = taken != std::exchange(taken_, taken);
  const uint32_t wanted = std::max(blocks_ahead(), burst);
  const size_t free = queue_.free_count();
  if (free >= wanted) return any;
  auto missing = static_cast<uint32_t>(wanted - free);
  uint32_t first = 0;
  while (const uint32_t got = arena_.reserve_stretch(missing, &first)) {
    for (uint32_t i = 0; i < got; ++i) {
      BlockHeader* block = arena_.block(first + i);
      if (!queue_.push_reserved(block)) arena_.release(block);
    }
    if ((missing -= got) == 0) break;
  }
  return any;
}

// Where producers cannot help themselves (Arena::reserve_one) a quarter of the cap lies ready: the
// mapping is a file on a disk then, and its pages are the page cache's.
uint32_t Keeper::blocks_ahead() const {
  return arena_.grows_anywhere() ? kBlocksAhead : std::max(kBlocksAhead, arena_.max_blocks() / 4);
}

void Keeper::give_back() { release_beyond(blocks_ahead()); }

void Keeper::give_back_for_exit() { release_beyond(arena_.grows_anywhere() ? 0 : kBlocksAhead); }

void Keeper::release_beyond(size_t blocks) {
  while (queue_.free_count() > blocks) {
    BlockHeader* block = queue_.pop_free(nullptr);
    if (block == nullptr) return;
    arena_.release(block);
  }
}

void Keeper::release_surplus() {
  const size_t free = queue_.free_count();
  quiet_ticks_ = free >= last_free_ && free > size_t{2} * blocks_ahead() ? quiet_ticks_ + 1 : 0;
  last_free_ = free;
  if (quiet_ticks_ < kQuietTicks) return;
  // A few per tick: giving memory back is never urgent.
  for (int i = 0; i < 16; ++i) {
    BlockHeader* block = queue_.pop_free(nullptr);
    if (block == nullptr) return;
    arena_.release(block);
  }
  last_free_ = queue_.free_count();
}

}  // namespace lockstep::plugin
