// The memory of another process, as its stacks are read: the process's own, or a copy of a stack that
// was taken while a thread stood still, with the process behind it. Whoever reads takes every byte for
// hostile: the process runs on, and what a pointer led to a moment ago may be anything by now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lockstep::live {

class TargetMemory {
 public:
  virtual ~TargetMemory() = default;
  // All of the bytes or none. Any address may be asked for.
  virtual bool read(uint64_t address, void* to, size_t bytes) const = 0;

  template <class Value>
  bool read_value(uint64_t address, Value* value) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    return read(address, value, sizeof *value);
  }
};

// process_vm_readv: stops nothing, and asks for the right that ptrace asks for.
class ProcessMemory : public TargetMemory {
 public:
  explicit ProcessMemory(uint32_t pid) : pid_(pid) {}
  bool read(uint64_t address, void* to, size_t bytes) const override;

  // The errno of a read at an address that the process maps: EPERM where the kernel lets us read none
  // of its memory, ESRCH where it has ended, 0 where it can be read.
  int refusal(uint64_t mapped_address) const;

 private:
  uint32_t pid_;
};

// A number inside a block that was read.
template <class Number>
Number number_at(const char* block, uint64_t offset) {
  Number number{};
  std::memcpy(&number, block + offset, sizeof number);
  return number;
}

}  // namespace lockstep::live
