// From our event id to what chained plugins returned for the same event: the one look-up that
// chaining costs. Sixteen-way associative, of fixed size, lock-free: any thread may insert, find
// and mark; an insert takes the place of the entry of its set that stopped longest ago. Events that
// have not stopped, and those a captured graph may name for hours, are never replaced; where a set
// is full of such, the event goes unmapped and is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "lockstep/event.h"

namespace lockstep::plugin {

constexpr unsigned kMostChained = 4;

struct ChainedEvent {
  void* handles[kMostChained] = {};
  uint32_t masks[kMostChained] = {};  // each plugin's own mask when the operation was called
};

class HandleMap {
 public:
  HandleMap()
      : slots_(new Slot[kSets * kWays]()), keys_(new std::atomic<uint64_t>[kSets * kWays]()) {}

  // `ticks` orders entries by age; `keep`: never replace. False: no room.
  bool insert(EventId id, const ChainedEvent& event, uint64_t ticks, bool keep);
  bool find(EventId id, ChainedEvent* event) const;
  // The entry may be replaced from now on, but is found until it is.
  void mark_stopped(EventId id);

 private:
  static constexpr unsigned kWays = 16;
  static constexpr unsigned kSetBits = 14;
  static constexpr size_t kSets = size_t{1} << kSetBits;
  static constexpr uint64_t kBusy = ~uint64_t{0};
  static constexpr uint64_t kStopped = 1, kKeep = 2;
  struct Slot {
    std::atomic<uint64_t> age_and_flags;
    std::atomic<void*> handles[kMostChained];
    std::atomic<uint32_t> masks[kMostChained];
  };

  static size_t first_of(EventId id) {
    return static_cast<size_t>(id * 0x9e3779b97f4a7c15ULL >> (64 - kSetBits)) * kWays;
  }
  size_t claim(size_t first);

  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<std::atomic<uint64_t>[]> keys_;
};

}  // namespace lockstep::plugin
