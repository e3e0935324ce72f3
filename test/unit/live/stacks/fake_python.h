// The memory of a process that runs CPython, made up: objects, frames and threads at the places that a layout
// names. What a real interpreter has besides them is zero.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "live/stacks/python_layout.h"
#include "live/stacks/python_stack.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {

class FakeMemory : public TargetMemory {
 public:
  static constexpr uint64_t kBase = 0x7f0000000000;

  bool read(uint64_t address, void* to, size_t bytes) const override {
    ++reads;
    if (address < kBase || address - kBase > data.size() || bytes > data.size() - (address - kBase))
      return false;
    std::memcpy(to, data.data() + (address - kBase), bytes);
    return true;
  }
  // Zeroes, at a multiple of 16.
  uint64_t allocate(size_t bytes) {
    data.resize((data.size() + 15) / 16 * 16);
    const uint64_t address = kBase + data.size();
    data.resize(data.size() + bytes);
    return address;
  }
  template <class Value>
  void put(uint64_t address, Value value) {
    std::memcpy(data.data() + (address - kBase), &value, sizeof value);
  }
  void put_text(uint64_t address, const std::string& text) {
    std::memcpy(data.data() + (address - kBase), text.data(), text.size());
  }

  std::string data = std::string(64, '\0');
  mutable uint64_t reads = 0;
};

// Says of a thread what the test wants; by itself that it stands still.
class FakeWatch : public ThreadWatch {
 public:
  void begin() override { ++begun; }
  bool moved() override { return moves; }
  bool moves = false;
  int begun = 0;
};

class FakePython {
 public:
  explicit FakePython(const PythonLayout& its_layout) : layout(its_layout) {}

  uint64_t type(const std::string& name) {
    if (types_.count(name) != 0) return types_[name];
    const uint64_t text = memory.allocate(name.size() + 1);
    memory.put_text(text, name);
    const uint64_t type = memory.allocate(layout.type_name + 8);
    memory.put(type + layout.type_name, text);
    return types_[name] = type;
  }
  uint64_t object(const std::string& its_type, size_t bytes) {
    const uint64_t type_address = type(its_type);
    const uint64_t object = memory.allocate(bytes);
    memory.put(object + layout.object.type, type_address);
    return object;
  }
  // Characters of 1, 2 or 4 bytes each.
  uint64_t text(const std::u32string& characters, uint32_t width, uint32_t shift = 2) {
    bool ascii = width == 1;
    for (const char32_t character : characters) ascii = ascii && character < 0x80;
    const uint64_t start = ascii ? layout.text.ascii_data : layout.text.other_data;
    const uint64_t text = object("str", start + characters.size() * width);
    memory.put(text + layout.text.length, static_cast<uint64_t>(characters.size()));
    memory.put(text + layout.text.state, (width | 1U << 3 | (ascii ? 1U << 4 : 0U)) << shift | 1U);
    uint64_t at = text + start;
    for (const char32_t character : characters) {
      std::memcpy(memory.data.data() + (at - FakeMemory::kBase), &character, width);
      at += width;
    }
    return text;
  }
  uint64_t text(const std::string& ascii) {
    return text(std::u32string(ascii.begin(), ascii.end()), 1);
  }
  uint64_t bytes(const std::string& content) {
    const uint64_t bytes = object("bytes", layout.bytes_data + content.size() + 1);
    memory.put(bytes + layout.object.size, static_cast<uint64_t>(content.size()));
    memory.put_text(bytes + layout.bytes_data, content);
    return bytes;
  }

  // A function of eight instructions of two bytes, a line each: the first line, and those behind it.
  uint64_t code(uint64_t name, uint64_t file, int32_t first_line) {
    constexpr uint64_t kInstructions = 8;
    const bool inlined = layout.frames != FrameKind::Objects;
    const uint64_t lines = bytes(line_table());
    const uint64_t bytecode = inlined ? 0 : bytes(std::string(2 * kInstructions, 'x'));
    const uint64_t code =
        object("code", inlined ? layout.code.bytecode + 2 * kInstructions : layout.code.bytes);
    memory.put(code + layout.code.first_line, first_line);
    memory.put(code + layout.code.file, file);
    memory.put(code + layout.code.name, name);
    memory.put(code + layout.code.lines, lines);
    if (inlined) {
      memory.put(code + layout.object.size, kInstructions);
    } else {
      memory.put(code + layout.code.bytecode, bytecode);
    }
    return code;
  }
  uint64_t code(const std::string& name, int32_t first_line) {
    return code(text(name), text(name + ".py"), first_line);
  }
  // At the n-th instruction, inside of `back`.
  uint64_t frame(uint64_t its_code, uint64_t back, uint64_t n, uint8_t mark) {
    const uint64_t frame = memory.allocate(layout.frame.bytes);
    memory.put(frame + layout.frame.back, back);
    memory.put(frame + layout.frame.code, its_code);
    if (layout.frames != FrameKind::Objects) {
      memory.put(frame + layout.frame.instruction, its_code + layout.code.bytecode + 2 * n);
    } else {
      const uint64_t last = layout.lines == LineTable::Ranges ? n : 2 * n;
      memory.put(frame + layout.frame.instruction, static_cast<uint32_t>(last));
    }
    if (layout.frames != FrameKind::Objects) memory.put(frame + layout.frame.mark, mark);
    return frame;
  }
  // A frame that begins a call of the C evaluator.
  uint64_t entry(uint64_t its_code, uint64_t back, uint64_t n) {
    if (layout.frames != FrameKind::Shimmed) return frame(its_code, back, n, 1);
    return frame(its_code, shim(back), n, 0);
  }
  uint64_t shim(uint64_t back) {
    const uint64_t none = object("NoneType", 64);
    return frame(none, back, 0, 3);
  }
  uint64_t thread(uint64_t its_frame, uint64_t interpreter = 0) {
    const uint64_t state = memory.allocate(512);
    uint64_t holder = state;
    if (layout.thread.c_frame) {
      holder = memory.allocate(32);
      memory.put(state + *layout.thread.c_frame, holder);
    }
    memory.put(holder + layout.thread.frame, its_frame);
    memory.put(state + layout.thread.interpreter, interpreter);
    return state;
  }

  FakeMemory memory;
  PythonLayout layout;

 private:
  std::string line_table() const {
    std::string table;
    for (int n = 0; n < 8; ++n) {
      const char delta = n == 0 ? 0 : 1;
      switch (layout.lines) {
        case LineTable::Deltas:
          table += {static_cast<char>(n == 0 ? 0 : 2), delta};
          break;
        case LineTable::Ranges:
          table += {2, delta};
          break;
        case LineTable::Locations:  // form 13, one unit; a signed delta
          table += {static_cast<char>(0x80 | 13 << 3), static_cast<char>(delta << 1)};
          break;
      }
    }
    return table;
  }

  std::map<std::string, uint64_t> types_;
};

}  // namespace lockstep::live
