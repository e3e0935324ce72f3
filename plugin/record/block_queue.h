// Blocks on their way: free ones to NCCL's threads, full ones to the dump thread. The only file
// that includes moodycamel's queue. Every thread works through a Seat, a pair of tokens it claims
// once, so that passing a block on neither locks nor allocates; threads beyond kSeats share the
// queue's slower tokenless path.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <new>
#if __has_include(<concurrentqueue/moodycamel/concurrentqueue.h>)
#include <concurrentqueue/moodycamel/concurrentqueue.h>
#else
#include <concurrentqueue/concurrentqueue.h>
#endif

#include "lockstep/shared_blocks.h"

namespace lockstep::plugin {

class BlockQueue {
 public:
  using Queue = moodycamel::ConcurrentQueue<BlockHeader*>;
  struct Seat {
    Seat(Queue& full, Queue& free) : full_producer(full), free_consumer(free) {}
    moodycamel::ProducerToken full_producer;
    moodycamel::ConsumerToken free_consumer;
    std::atomic<bool> taken{false};
  };
  static constexpr size_t kSeats = 64;

  // max_blocks sizes both queues once, with room for each seat's first internal block of 32 places;
  // nothing allocates on NCCL's threads afterwards unless there are more than kSeats of them.
  explicit BlockQueue(size_t max_blocks)
      : full_(max_blocks + 32 * kSeats),
        free_(max_blocks + 32 * kGivers),
        keeper_(free_),
        dumper_(free_) {
    if (!keeper_.valid() || !dumper_.valid()) throw std::bad_alloc();
    for (auto& seat : seats_) {
      seat = std::make_unique<Seat>(full_, free_);
      if (!seat->full_producer.valid()) throw std::bad_alloc();
    }
  }

  // nullptr when all seats are taken.
  Seat* claim_seat() {
    for (auto& seat : seats_) {
      if (!seat->taken.load(std::memory_order_relaxed) &&
          !seat->taken.exchange(true, std::memory_order_acquire)) {
        return seat.get();
      }
    }
    return nullptr;
  }
  static void release_seat(Seat* seat) { seat->taken.store(false, std::memory_order_release); }

  // Any thread. False when there was no memory for it.
  bool push_full(Seat* seat, BlockHeader* block) {
    return seat != nullptr ? full_.enqueue(seat->full_producer, block) : full_.enqueue(block);
  }
  BlockHeader* pop_free(Seat* seat) {
    BlockHeader* block = nullptr;
    const bool got =
        seat != nullptr ? free_.try_dequeue(seat->free_consumer, block) : free_.try_dequeue(block);
    return got ? block : nullptr;
  }

  // The thread that drains (one at a time).
  BlockHeader* pop_full() {
    BlockHeader* block = nullptr;
    return full_.try_dequeue(block) ? block : nullptr;
  }
  // Those who give free blocks, each one thread at a time, with a token each: without, a thread
  // whose first push meets a lack of memory could never push again. False when there was no memory.
  [[nodiscard]] bool push_reserved(BlockHeader* block) { return free_.enqueue(keeper_, block); }
  [[nodiscard]] bool push_drained(BlockHeader* block) { return free_.enqueue(dumper_, block); }
  size_t full_count() const { return full_.size_approx(); }
  size_t free_count() const { return free_.size_approx(); }

 private:
  static constexpr size_t kGivers = 2;

  Queue full_;
  Queue free_;
  moodycamel::ProducerToken keeper_, dumper_;
  std::array<std::unique_ptr<Seat>, kSeats> seats_;
};

}  // namespace lockstep::plugin
