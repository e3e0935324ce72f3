// The keeper thread watches what NCCL's threads cannot report without a system call: every few
// milliseconds it keeps enough reserved blocks ahead of them, takes clock anchors, and wakes the
// dump thread when there is something to write. It never touches files, so a stalled disk holds up
// the dump thread alone, while buffers still grow to their cap.
#pragma once

#include <atomic>
#include <functional>

#include "base/thread.h"
#include "base/waker.h"
#include "plugin/record/arena.h"
#include "plugin/record/block_queue.h"

namespace lockstep::plugin {

class Keeper {
 public:
  Keeper(Arena& arena, BlockQueue& queue) : arena_(arena), queue_(queue) {}

  // `wake_dumper` is called from the keeper's thread. False when no thread could be had; the first
  // blocks are there nevertheless.
  bool start(uint64_t dump_interval_us, std::function<void()> wake_dumper);
  void stop();
  // After stop(), and with nothing left to write: what a burst left beyond the blocks kept ahead.
  void give_back();
  // Likewise where calls go on while the process exits: producers that can reserve blocks themselves
  // are left none, the others 8 MiB.
  void give_back_for_exit();
  // Before start(): what else the keeper's thread does every 100 ms.
  void set_tick(std::function<void()> tick) { tick_ = std::move(tick); }
  // Before start(): what it does every few milliseconds. Says in how many nanoseconds it wants to be
  // called again at the latest.
  void set_watch(std::function<int64_t()> watch) { watch_ = std::move(watch); }
  uint64_t interval_us() const { return interval_us_.load(std::memory_order_relaxed); }
  void set_interval_us(uint64_t us) { interval_us_.store(us, std::memory_order_relaxed); }
  // Any thread: the most blocks that held records at once, looked at every few milliseconds.
  uint32_t most_blocks_in_use() const { return most_in_use_.load(std::memory_order_relaxed); }

 private:
  static void* run(void* self);
  void loop();
  void take_clock_anchor();
  void note_use();
  bool has_much_to_write() const;
  bool reserve_ahead();  // true: blocks were taken since the last time
  uint32_t blocks_ahead() const;
  void release_surplus();
  void release_beyond(size_t blocks);

  Arena& arena_;
  BlockQueue& queue_;
  Waker waker_;
  ServiceThread thread_;
  std::function<void()> wake_dumper_, tick_;
  std::function<int64_t()> watch_;
  std::atomic<uint64_t> interval_us_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<uint32_t> most_in_use_{0};
  uint32_t quiet_ticks_ = 0;  // in which no block was taken
  size_t last_free_ = 0;
  uint64_t taken_ = 1;  // blocks handed out so far, as their sequence counts
};

}  // namespace lockstep::plugin
