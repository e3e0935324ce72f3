#include "dumper/segment/counts.h"

#include <algorithm>

#include "dumper/segment/varint.h"

namespace lockstep::dumper {

size_t Counts::find(uint32_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t at = (key * 0x9E3779B1u >> 7) & mask;
  while (slots_[at].key_plus_one != 0 && slots_[at].key_plus_one != key + 1) at = (at + 1) & mask;
  return at;
}

void Counts::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key_plus_one != 0) slots_[find(slot.key_plus_one - 1)] = slot;
  }
}

void Counts::add(uint32_t key, uint64_t count) {
  if (count == 0) return;
  if (slots_.size() < 2 * (used_ + 1)) grow();
  Slot& slot = slots_[find(key)];
  if (slot.key_plus_one == 0) {
    slot.key_plus_one = key + 1;
    ++used_;
  }
  slot.count += count;
}

void Counts::add(const Counts& other) {
  for (const Slot& slot : other.slots_) {
    if (slot.key_plus_one != 0) add(slot.key_plus_one - 1, slot.count);
  }
}

void Counts::make_room(const Counts& other) {
  while (slots_.size() < 2 * (used_ + other.used_ + 1)) grow();
}

uint64_t Counts::get(uint32_t key) const {
  if (slots_.empty()) return 0;
  return slots_[find(key)].count;
}

void Counts::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  used_ = 0;
}

std::vector<std::pair<uint32_t, uint64_t>> Counts::sorted() const {
  std::vector<std::pair<uint32_t, uint64_t>> all;
  for (const Slot& slot : slots_) {
    if (slot.key_plus_one != 0) all.emplace_back(slot.key_plus_one - 1, slot.count);
  }
  std::sort(all.begin(), all.end());
  return all;
}

CallCounts Counts::by_call() const {
  CallCounts sums{};
  for (const Slot& slot : slots_) {
    if (slot.key_plus_one == 0) continue;
    const uint32_t key = slot.key_plus_one - 1;
    sums[call_cell(count_kind(key), count_call(key))] += slot.count;
  }
  return sums;
}

// Varints: the difference to the key before, the count.
std::vector<uint8_t> Counts::pack() const {
  std::vector<uint8_t> packed(used_ * 2 * kMaxVarintBytes);
  uint8_t* at = packed.data();
  uint32_t before = 0;
  for (const auto& [key, count] : sorted()) {
    at = put_varint(put_varint(at, key - before), count);
    before = key;
  }
  packed.resize(static_cast<size_t>(at - packed.data()));
  packed.shrink_to_fit();
  return packed;
}

void Counts::add_packed(const std::vector<uint8_t>& packed) {
  ByteReader bytes(packed.data(), packed.size());
  uint32_t key = 0;
  while (bytes.left() != 0) {
    key += static_cast<uint32_t>(bytes.varint());
    add(key, bytes.varint());
  }
}

}  // namespace lockstep::dumper
