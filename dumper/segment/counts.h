// Counts of calls by communicator, kind and call: what a chunk holds, what was lost, what a segment
// held when it was deleted. A small open-addressing table that keeps its memory when cleared, so
// that the dump thread counts without allocating once it has seen its communicators. Not for
// several threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/event.h"

namespace lockstep::dumper {

constexpr unsigned kCallCells = kCountedKinds * kCalls;
// Calls entered, [kind * kCalls + call]; see BlockHeader::calls.
using CallCounts = std::array<uint64_t, kCallCells>;
constexpr unsigned call_cell(unsigned kind, Call call) {
  return kind * kCalls + static_cast<unsigned>(call);
}

constexpr uint32_t make_count_key(uint32_t comm, unsigned kind, Call call) {
  return comm << 7 | kind << 2 | static_cast<uint32_t>(call);
}
constexpr uint32_t count_comm(uint32_t key) { return key >> 7; }
constexpr unsigned count_kind(uint32_t key) { return key >> 2 & 31u; }
constexpr Call count_call(uint32_t key) { return static_cast<Call>(key & 3u); }
// Keys from a file may say anything; only these can come from make_count_key.
constexpr bool is_count_key(uint64_t key) {
  return key < uint64_t{1} << (kCommBits + 7) && (key >> 2 & 31u) < kCountedKinds &&
         (key & 3u) < kCalls;
}

class Counts {
 public:
  void add(uint32_t key, uint64_t count);
  void add(const Counts& other);
  // add(other) will then not allocate.
  void make_room(const Counts& other);
  uint64_t get(uint32_t key) const;
  void clear();
  bool empty() const { return used_ == 0; }
  size_t size() const { return used_; }
  // Calls visit(key) for every key with a count, in any order.
  template <class Visit>
  void each_key(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.key_plus_one != 0) visit(slot.key_plus_one - 1);
    }
  }
  // (key, count) of every key with a count, ascending by key.
  std::vector<std::pair<uint32_t, uint64_t>> sorted() const;
  CallCounts by_call() const;
  // The same in a tenth of the memory, for counts that will hardly be asked for again; add_packed()
  // takes what pack() gave.
  std::vector<uint8_t> pack() const;
  void add_packed(const std::vector<uint8_t>& packed);

  bool operator==(const Counts& other) const { return sorted() == other.sorted(); }

 private:
  struct Slot {
    uint32_t key_plus_one = 0;  // 0 = free
    uint64_t count = 0;
  };
  void grow();
  size_t find(uint32_t key) const;

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace lockstep::dumper
