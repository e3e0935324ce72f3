#include "live/stacks/python_lines.h"

namespace lockstep::live {
namespace {

uint32_t byte_at(std::string_view table, size_t at) {
  return static_cast<unsigned char>(table[at]);
}
int32_t signed_at(std::string_view table, size_t at) { return static_cast<signed char>(table[at]); }

// Lines are in 1 to 2^31 - 1; a damaged table may lead anywhere.
int32_t line_or_none(int64_t line) {
  return line > 0 && line <= INT32_MAX ? static_cast<int32_t>(line) : 0;
}

// Each pair moves the address, then the line: the line is that of the last pair at or before the
// instruction (Objects/lnotab_notes.txt at v3.9.18, "Addr2Line").
int32_t line_by_deltas(std::string_view table, int64_t line, int64_t instruction) {
  int64_t address = 0;
  for (size_t at = 0; at + 1 < table.size(); at += 2) {
    address += byte_at(table, at);
    if (address > instruction) break;
    line += signed_at(table, at + 1);
  }
  return line_or_none(line);
}

// Each pair is a range: its length, and its line's distance from the range before; -128 is a range that
// has no line (Objects/lnotab_notes.txt at v3.10.13).
int32_t line_by_ranges(std::string_view table, int64_t line, int64_t instruction) {
  constexpr int32_t kNoLine = -128;
  int64_t end = 0;
  for (size_t at = 0; at + 1 < table.size(); at += 2) {
    end += byte_at(table, at);
    const int32_t delta = signed_at(table, at + 1);
    if (delta != kNoLine) line += delta;
    if (end > instruction) return delta == kNoLine ? 0 : line_or_none(line);
  }
  return 0;
}

// Six bits a byte, the least significant first; bit 6 says that more follow.
struct Varint {
  std::string_view table;
  size_t at = 0;
  bool broken = false;

  uint32_t unsigned_number() {
    uint32_t number = 0;
    for (int shift = 0; shift < 32; shift += 6) {
      if (at >= table.size()) break;
      const uint32_t byte = byte_at(table, at++);
      number |= (byte & 0x3f) << shift;
      if ((byte & 0x40) == 0) return number;
    }
    broken = true;
    return 0;
  }
  int64_t signed_number() {  // the sign is the lowest bit
    const uint32_t number = unsigned_number();
    const int64_t magnitude = number >> 1;
    return (number & 1) != 0 ? -magnitude : magnitude;
  }
};

// An entry begins with a byte whose highest bit is set: its form (4 bits) and how many code units it covers,
// less one (3 bits). The bytes up to the next such byte are its own (Objects/locations.md at v3.11.7).
int32_t line_by_locations(std::string_view table, int64_t line, int64_t instruction) {
  constexpr uint32_t kFirstOneLine = 10, kLastOneLine = 12, kNoColumns = 13, kLong = 14, kNone = 15;
  constexpr int64_t kUnit = 2;  // bytes
  int64_t end = 0;
  for (size_t at = 0; at < table.size();) {
    const uint32_t head = byte_at(table, at++);
    if ((head & 0x80) == 0) return 0;
    const uint32_t form = head >> 3 & 15;
    end += ((head & 7) + 1) * kUnit;
    if (form >= kFirstOneLine && form <= kLastOneLine) {
      line += form - kFirstOneLine;
    } else if (form == kNoColumns || form == kLong) {
      Varint varint{table, at};
      line += varint.signed_number();
      if (varint.broken) return 0;
    }
    if (end > instruction) return form == kNone ? 0 : line_or_none(line);
    while (at < table.size() && (byte_at(table, at) & 0x80) == 0) ++at;
  }
  return 0;
}

}  // namespace

int32_t line_of(LineTable kind, std::string_view table, int32_t first_line, int64_t instruction) {
  if (instruction < 0) return first_line;
  switch (kind) {
    case LineTable::Deltas:
      return line_by_deltas(table, first_line, instruction);
    case LineTable::Ranges:
      return line_by_ranges(table, first_line, instruction);
    case LineTable::Locations:
      return line_by_locations(table, first_line, instruction);
  }
  return 0;
}

}  // namespace lockstep::live
