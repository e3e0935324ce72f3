#include "plugin/chain/handle_map.h"

namespace lockstep::plugin {
namespace {
constexpr size_t kNoPlace = ~size_t{0};
}

// A free slot of the set, or the one that stopped first; its key is then kBusy.
size_t HandleMap::claim(size_t first) {
  for (unsigned attempt = 0; attempt < 4; ++attempt) {
    size_t best = kNoPlace;
    uint64_t best_key = 0, best_age = ~uint64_t{0};
    for (size_t i = first; i < first + kWays; ++i) {
      const uint64_t key = keys_[i].load(std::memory_order_relaxed);
      if (key == kBusy) continue;
      const uint64_t age = slots_[i].age_and_flags.load(std::memory_order_relaxed);
      if (key != 0 && (age & (kStopped | kKeep)) != kStopped) continue;
      const uint64_t rank = key == 0 ? 0 : age;
      if (rank >= best_age) continue;
      best = i;
      best_key = key;
      best_age = rank;
    }
    if (best == kNoPlace) return kNoPlace;
    if (keys_[best].compare_exchange_strong(best_key, kBusy, std::memory_order_acq_rel))
      return best;
  }
  return kNoPlace;
}

bool HandleMap::insert(EventId id, const ChainedEvent& event, uint64_t ticks, bool keep) {
  const size_t place = claim(first_of(id));
  if (place == kNoPlace) return false;
  Slot& slot = slots_[place];
  slot.age_and_flags.store(ticks << 2 | (keep ? kKeep : 0), std::memory_order_relaxed);
  for (unsigned i = 0; i < kMostChained; ++i) {
    slot.handles[i].store(event.handles[i], std::memory_order_relaxed);
    slot.masks[i].store(event.masks[i], std::memory_order_relaxed);
  }
  keys_[place].store(id, std::memory_order_release);  // pairs with find
  return true;
}

bool HandleMap::find(EventId id, ChainedEvent* event) const {
  if (id == 0) return false;  // an empty slot has that key
  const size_t first = first_of(id);
  for (size_t place = first; place < first + kWays; ++place) {
    if (keys_[place].load(std::memory_order_acquire) != id) continue;
    for (unsigned i = 0; i < kMostChained; ++i) {
      event->handles[i] = slots_[place].handles[i].load(std::memory_order_relaxed);
      event->masks[i] = slots_[place].masks[i].load(std::memory_order_relaxed);
    }
    // Replaced while it was read: not ours any more.
    std::atomic_thread_fence(std::memory_order_acquire);
    return keys_[place].load(std::memory_order_relaxed) == id;
  }
  return false;
}

void HandleMap::mark_stopped(EventId id) {
  const size_t first = first_of(id);
  for (size_t place = first; place < first + kWays; ++place) {
    if (keys_[place].load(std::memory_order_acquire) == id) {
      slots_[place].age_and_flags.fetch_or(kStopped, std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace lockstep::plugin
