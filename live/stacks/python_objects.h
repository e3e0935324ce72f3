// CPython's objects, read from another process's memory: strings, bytes and code objects. A pointer is
// believed only where the object's type has the right name, its size is possible and its characters are:
// what a thread that runs on has overwritten meanwhile gives nothing, not another text. Any thread, one
// at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "live/stacks/python_layout.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {

struct PythonCode {
  std::string function;  // its qualified name; the plain name before 3.11
  std::string file;      // as the interpreter was given it
  int32_t first_line = 0;
  std::string lines;        // the line table
  uint64_t code_bytes = 0;  // of its instructions
};

class PythonObjects {
 public:
  PythonObjects(const TargetMemory& memory, const PythonLayout& layout)
      : memory_(memory), layout_(layout) {}

  // In UTF-8; a lone surrogate becomes U+FFFD. Longer ones than `most` characters are cut, and end in "...".
  std::optional<std::string> text(uint64_t address, size_t most) const;
  std::optional<std::string> bytes(uint64_t address) const;
  std::optional<PythonCode> code(uint64_t address) const;

 private:
  // Whether the object's type has this name: "code", "str", "bytes".
  bool is_a(uint64_t address, std::string_view type) const;
  std::optional<uint64_t> size_of(uint64_t address) const;
  std::optional<std::string> characters(uint64_t address, uint64_t count, uint32_t width) const;

  const TargetMemory& memory_;
  const PythonLayout& layout_;
  // Types that were seen, by the name asked for: CPython's own types stay where they are.
  mutable std::map<std::string, uint64_t, std::less<>> types_;
};

}  // namespace lockstep::live
