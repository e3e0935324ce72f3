#include "live/stacks/python_objects.h"

#include <array>
#include <cstring>

namespace lockstep::live {
namespace {

// More than a function's qualified name or a path has; what is longer is cut.
constexpr size_t kNameCharacters = 512, kPathCharacters = 4096;
// A line table has a few bytes for each line of the function; CPython's largest has some 30 KB.
constexpr uint64_t kBytesLimit = 8 << 20;
constexpr uint64_t kTextLimit = 1 << 30;

void put_utf8(uint32_t point, std::string* text) {
  constexpr uint32_t kReplacement = 0xfffd;
  if (point >= 0xd800 && point < 0xe000) point = kReplacement;
  const auto put = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

// The bits of PyASCIIObject.state behind `interned`: kind (3), compact, ascii.
struct TextState {
  uint32_t width = 0;  // bytes of a character
  bool ascii = false;
};
std::optional<TextState> state_from(uint32_t bits) {
  const uint32_t kind = bits & 7;
  const bool compact = (bits >> 3 & 1) != 0, ascii = (bits >> 4 & 1) != 0;
  if ((kind != 1 && kind != 2 && kind != 4) || !compact || (ascii && kind != 1))
    return std::nullopt;
  return TextState{kind, ascii};
}

// `interned` has two bits, in 3.14 (Include/cpython/unicodeobject.h) 8 or 16 in some builds. A reading with
// the wrong one finds a kind of 0, for an interned state is 3 at most.
std::optional<TextState> text_state(uint32_t word, bool varies) {
  std::optional<TextState> state = state_from(word >> 2);
  for (const int shift : {8, 16})
    if (!state && varies) state = state_from(word >> shift);
  return state;
}

}  // namespace

bool PythonObjects::is_a(uint64_t address, std::string_view type) const {
  uint64_t type_address = 0, name_address = 0;
  if (address == 0 || !memory_.read_value(address + layout_.object.type, &type_address))
    return false;
  const auto seen = types_.find(type);
  if (seen != types_.end()) return seen->second == type_address;
  if (!memory_.read_value(type_address + layout_.type_name, &name_address)) return false;
  std::array<char, 16> name{};  // the types that are asked for have short names
  if (type.size() + 1 > name.size() || !memory_.read(name_address, name.data(), type.size() + 1))
    return false;
  if (std::string_view(name.data(), type.size() + 1) !=
      std::string_view(type.data(), type.size() + 1))
    return false;
  types_.emplace(type, type_address);
  return true;
}

std::optional<uint64_t> PythonObjects::size_of(uint64_t address) const {
  int64_t size = 0;
  if (!memory_.read_value(address + layout_.object.size, &size) || size < 0) return std::nullopt;
  return static_cast<uint64_t>(size);
}

std::optional<std::string> PythonObjects::bytes(uint64_t address) const {
  if (!is_a(address, "bytes")) return std::nullopt;
  const std::optional<uint64_t> size = size_of(address);
  if (!size || *size > kBytesLimit) return std::nullopt;
  std::string bytes(*size, '\0');
  if (!memory_.read(address + layout_.bytes_data, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

std::optional<std::string> PythonObjects::characters(uint64_t address, uint64_t count,
                                                     uint32_t width) const {
  std::string raw(count * width, '\0'), text;
  if (!memory_.read(address, raw.data(), raw.size())) return std::nullopt;
  for (size_t at = 0; at < raw.size(); at += width) {
    uint32_t point = 0;
    std::memcpy(&point, raw.data() + at, width);  // little-endian, as ElfFile demands
    if (point > 0x10ffff) return std::nullopt;
    put_utf8(point, &text);
  }
  return text;
}

std::optional<std::string> PythonObjects::text(uint64_t address, size_t most) const {
  uint64_t length = 0;
  uint32_t word = 0;
  if (!is_a(address, "str") || !memory_.read_value(address + layout_.text.length, &length) ||
      !memory_.read_value(address + layout_.text.state, &word) || length > kTextLimit)
    return std::nullopt;
  const std::optional<TextState> state = text_state(word, layout_.text.state_varies);
  if (!state) return std::nullopt;
  const uint64_t data =
      address + (state->ascii ? layout_.text.ascii_data : layout_.text.other_data);
  const bool cut = length > most;
  std::optional<std::string> text = characters(data, cut ? most : length, state->width);
  if (text && state->ascii && text->size() != (cut ? most : length)) return std::nullopt;
  if (text && cut) *text += "...";
  return text;
}

std::optional<PythonCode> PythonObjects::code(uint64_t address) const {
  std::array<char, 512> block{};
  const PythonLayout::Code& at = layout_.code;
  if (at.bytes > block.size() || !is_a(address, "code") ||
      !memory_.read(address, block.data(), at.bytes))
    return std::nullopt;
  PythonCode code;
  code.first_line = number_at<int32_t>(block.data(), at.first_line);
  std::optional<std::string> function =
      text(number_at<uint64_t>(block.data(), at.name), kNameCharacters);
  std::optional<std::string> file =
      text(number_at<uint64_t>(block.data(), at.file), kPathCharacters);
  std::optional<std::string> lines = bytes(number_at<uint64_t>(block.data(), at.lines));
  std::optional<uint64_t> size;
  if (layout_.frames == FrameKind::Objects) {
    const auto bytecode = number_at<uint64_t>(block.data(), at.bytecode);
    if (is_a(bytecode, "bytes")) size = size_of(bytecode);
  } else if (const std::optional<uint64_t> units = size_of(address)) {
    size = *units * 2;  // Py_SIZE() counts _Py_CODEUNITs
  }
  if (!function || !file || !lines || !size || *size > kBytesLimit || code.first_line < 0)
    return std::nullopt;
  code.function = std::move(*function);
  code.file = std::move(*file);
  code.lines = std::move(*lines);
  code.code_bytes = *size;
  return code;
}

}  // namespace lockstep::live
