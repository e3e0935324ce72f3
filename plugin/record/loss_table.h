// Counts of calls that were not recorded, by (communicator, kind, call, reason), in the arena so
// that they survive a SIGKILL. Lock-free: an entry is claimed once by its key and then only added
// to. When the table is full, the count goes to the same kind, call and reason of kLastComm, so
// that totals stay exact while the communicator is lost.
#pragma once

#include "lockstep/shared_blocks.h"

namespace lockstep::plugin {

class LossTable {
 public:
  explicit LossTable(LossEntry* entries) : entries_(entries) {}

  // Any thread.
  void add(uint32_t comm, unsigned kind, Call call, Loss why, uint64_t count) {
    LossEntry* entry = find(make_loss_key(comm, kind, call, why), kProbes);
    if (entry == nullptr) entry = find(make_loss_key(kLastComm, kind, call, why), kLossEntries);
    if (entry != nullptr) entry->count.fetch_add(count, std::memory_order_relaxed);
  }

 private:
  // Long enough that a table three quarters full still answers; short enough for a hot path.
  static constexpr unsigned kProbes = 32;
  // (kinds + 1) * calls * reasons entries are kept back for kLastComm.
  static constexpr unsigned kReserve = 512;

  LossEntry* find(uint64_t key, unsigned probes) {
    uint64_t slot = key * 0x9e3779b97f4a7c15ULL >> 40;
    const unsigned limit = probes == kLossEntries ? kLossEntries : kLossEntries - kReserve;
    for (unsigned i = 0; i < probes; ++i, ++slot) {
      LossEntry& entry = entries_[slot % limit];
      uint64_t seen = entry.key.load(std::memory_order_relaxed);
      if (seen == 0 && entry.key.compare_exchange_strong(seen, key, std::memory_order_relaxed))
        return &entry;
      if (seen == key) return &entry;
    }
    return nullptr;
  }

  LossEntry* entries_;
};

}  // namespace lockstep::plugin
