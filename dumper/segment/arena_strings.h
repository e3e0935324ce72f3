// The string table of an arena, this process's own or a dead one's: the texts behind the 16-bit
// numbers in records. Trusts nothing in it, because a file anybody can write may be what recovery
// reads. Any thread.
#pragma once

#include "dumper/segment/chunk_encode.h"

namespace lockstep::dumper {

class ArenaStrings : public StringSource {
 public:
  explicit ArenaStrings(const ArenaHeader& arena) : arena_(arena) {}
  std::string_view text(unsigned number) const override {
    if (number < kFirstString || number - kFirstString >= kMaxStrings) return {};
    const StringEntry& entry = arena_.strings[number - kFirstString];
    if (entry.ready.load(std::memory_order_acquire) == 0) return {};
    const uint32_t offset = entry.offset, length = entry.length;
    if (length > kMaxStringBytes || offset > kStringArenaBytes - length) return {};
    return {arena_.string_bytes + offset, length};
  }

 private:
  const ArenaHeader& arena_;
};

}  // namespace lockstep::dumper
