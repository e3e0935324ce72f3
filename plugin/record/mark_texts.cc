#include "plugin/record/mark_texts.h"

#include <atomic>
#include <cstring>

#include "plugin/record/recorder.h"
#include "plugin/record/string_table.h"

namespace lockstep::plugin {
namespace {

constexpr uint32_t kMostTexts = kMaxStrings / 4 * 3;
constexpr uint32_t kMostBytes = kStringArenaBytes / 4 * 3;
// At most three eighths full, so that what is not there is soon known.
constexpr uint32_t kSlots = 8192, kProbes = 32;
std::atomic<uint16_t> slots[kSlots];  // numbers of the string table; 0 = free

struct Key {
  const char* text;
  uint32_t length, hash;
};

constexpr bool continues_character(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

Key key_of(const char* text) {
  uint32_t length = 0, hash = 2166136261u;  // FNV-1a
  for (; length < kMaxStringBytes && text[length] != '\0'; ++length)
    hash = (hash ^ static_cast<unsigned char>(text[length])) * 16777619u;
  if (length < kMaxStringBytes || !continues_character(text[length])) return {text, length, hash};
  while (length > 0 && continues_character(text[length])) --length;
  return {text, length, hash};
}

bool says(uint16_t number, const Key& key) {
  const StringEntry& entry = recorder.arena->strings[number - kFirstString];
  return entry.hash == key.hash && entry.length == key.length &&
         std::memcmp(recorder.arena->string_bytes + entry.offset, key.text, key.length) == 0;
}

uint16_t add(const Key& key, std::atomic<uint16_t>* slot) {
  const uint64_t used = recorder.arena->strings_used.load(std::memory_order_relaxed);
  if (used >> 32 >= kMostTexts || static_cast<uint32_t>(used) + key.length > kMostBytes)
    return kOverflowString;
  const uint16_t number = StringTable(recorder.arena).append(key.text, key.length, key.hash);
  // Another thread may have taken the slot: then the text is there twice, which readers do not mind.
  uint16_t free = 0;
  slot->compare_exchange_strong(free, number, std::memory_order_release, std::memory_order_relaxed);
  return number;
}

}  // namespace

uint16_t intern_mark_text(const char* text) {
  if (text == nullptr) return kNullString;
  const Key key = key_of(text);
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    std::atomic<uint16_t>& slot = slots[(key.hash + probe) % kSlots];
    const uint16_t number = slot.load(std::memory_order_acquire);
    if (number == 0) return add(key, &slot);
    if (says(number, key)) return number;
  }
  return kOverflowString;
}

}  // namespace lockstep::plugin
