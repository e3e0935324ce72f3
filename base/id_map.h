// From event ids to small numbers, for joins that see hundreds of millions of ids: open addressing
// with linear probing, removal without tombstones (the ids of network steps come and go all the
// time), memory kept. Id 0 is never a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

class IdMap {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t find(uint64_t id) const {
    if (id == 0 || slots_.empty()) return kNone;
    for (size_t i = home(id);; i = (i + 1) & mask_) {
      if (slots_[i].id == id) return slots_[i].value;
      if (slots_[i].id == 0) return kNone;
    }
  }
  // Overwrites.
  void set(uint64_t id, uint32_t value) {
    if (id == 0) return;
    if ((used_ + 1) * 2 > slots_.size()) grow();
    size_t i = home(id);
    while (slots_[i].id != 0 && slots_[i].id != id) i = (i + 1) & mask_;
    if (slots_[i].id == 0) ++used_;
    slots_[i] = {id, value};
  }
  // find(), and then erase().
  uint32_t take(uint64_t id) {
    if (id == 0 || slots_.empty()) return kNone;
    size_t i = home(id);
    while (slots_[i].id != id) {
      if (slots_[i].id == 0) return kNone;
      i = (i + 1) & mask_;
    }
    const uint32_t value = slots_[i].value;
    close_gap(i);
    --used_;
    return value;
  }
  void erase(uint64_t id) { take(id); }
  size_t size() const { return used_; }
  void clear() {
    slots_.assign(slots_.size(), {});
    used_ = 0;
  }

 private:
  struct Slot {
    uint64_t id = 0;
    uint32_t value = 0;
  };
  size_t home(uint64_t id) const { return (id * 0x9e3779b97f4a7c15ULL >> 20) & mask_; }
  // Moves later entries of the probe run back, so that no search stops early at the freed slot.
  void close_gap(size_t gap) {
    for (size_t i = (gap + 1) & mask_; slots_[i].id != 0; i = (i + 1) & mask_) {
      if (((i - home(slots_[i].id)) & mask_) < ((i - gap) & mask_)) continue;
      slots_[gap] = slots_[i];
      gap = i;
    }
    slots_[gap] = {};
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    used_ = 0;
    for (const Slot& slot : old) set(slot.id, slot.value);
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, used_ = 0;
};

}  // namespace lockstep
