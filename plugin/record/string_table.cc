#include "plugin/record/string_table.h"

#include <cstring>

namespace lockstep::plugin {
namespace {

uint32_t hash_of(const char* text, uint32_t length) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (uint32_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 16777619u;
  return hash;
}

}  // namespace

uint16_t StringTable::intern(const char* text) {
  if (text == nullptr) return kNullString;
  const auto length = static_cast<uint32_t>(strnlen(text, kMaxStringBytes));
  const uint32_t hash = hash_of(text, length);
  const auto count =
      static_cast<uint32_t>(arena_->strings_used.load(std::memory_order_acquire) >> 32);
  for (uint32_t i = 0; i < count; ++i) {
    const StringEntry& entry = arena_->strings[i];
    if (entry.ready.load(std::memory_order_acquire) == 0) continue;
    if (entry.hash == hash && entry.length == length &&
        std::memcmp(arena_->string_bytes + entry.offset, text, length) == 0) {
      return static_cast<uint16_t>(i + kFirstString);
    }
  }
  return append(text, length, hash);
}

uint16_t StringTable::append(const char* text, uint32_t length, uint32_t hash) {
  uint64_t used = arena_->strings_used.load(std::memory_order_relaxed);
  uint32_t count = 0, bytes = 0;
  do {
    count = static_cast<uint32_t>(used >> 32);
    bytes = static_cast<uint32_t>(used);
    if (count >= kMaxStrings || bytes + length > kStringArenaBytes) return kOverflowString;
  } while (!arena_->strings_used.compare_exchange_weak(
      used, uint64_t{count + 1} << 32 | (bytes + length), std::memory_order_acq_rel,
      std::memory_order_relaxed));
  StringEntry& entry = arena_->strings[count];
  std::memcpy(arena_->string_bytes + bytes, text, length);
  entry.offset = bytes;
  entry.length = length;
  entry.hash = hash;
  entry.ready.store(1, std::memory_order_release);
  return static_cast<uint16_t>(count + kFirstString);
}

}  // namespace lockstep::plugin
