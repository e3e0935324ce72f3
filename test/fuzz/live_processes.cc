// What `lockstep stacks` reads of a process that may be anything by now: its mappings, its programs' symbols,
// py-spy's answer, and the memory of an interpreter, whose pointers lead anywhere in the input. The
// first byte chooses.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "live/stacks/elf_file.h"
#include "live/stacks/process_maps.h"
#include "live/stacks/py_spy.h"
#include "live/stacks/python_layout.h"
#include "live/stacks/python_stack.h"
#include "test/fuzz/input_file.h"

using namespace lockstep::live;

namespace {

// The input lies at address 4096.
class InputMemory : public TargetMemory {
 public:
  InputMemory(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool read(uint64_t address, void* to, size_t bytes) const override {
    constexpr uint64_t kBase = 4096;
    if (address < kBase || address - kBase > size_ || bytes > size_ - (address - kBase))
      return false;
    std::memcpy(to, data_ + (address - kBase), bytes);
    return true;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

class StandsStill : public ThreadWatch {
 public:
  void begin() override {}
  bool moved() override { return false; }
};

void read_elf(const uint8_t* data, size_t size) {
  static const lockstep::fuzz::InputFile file;
  const auto elf = ElfFile::open(file.holding(data, size));
  if (!elf.ok()) return;
  static_cast<void>(elf.value().symbol("_PyRuntime"));
  static_cast<void>(elf.value().section(".PyRuntime"));
  static_cast<void>(elf.value().load_bias({0x1000, 0x2000, 0, "x"}));
}

void read_python(const uint8_t* data, size_t size, uint32_t minor) {
  PythonVersion version;
  version.hex = 3u << 24 | minor << 16;
  const auto layout = table_layout(version);
  if (!layout) return;
  StandsStill watch;
  const PythonStack stack = read_python_stack(InputMemory(data, size), *layout, 4096, &watch);
  if (stack.frames.size() > kPythonFrames) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t choice = data[0] % 8;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (choice == 0) {
    for (const Mapping& mapping : parse_maps(text)) {
      if (mapping.end < mapping.start) std::abort();
    }
  } else if (choice == 1) {
    static_cast<void>(parse_py_spy(text));
  } else if (choice == 2) {
    read_elf(data + 1, size - 1);
  } else {
    read_python(data + 1, size - 1, 6u + choice);  // 3.9 to 3.13
  }
  return 0;
}
