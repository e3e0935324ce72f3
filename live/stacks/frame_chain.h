// The chain of a Python thread's frames as it lies in memory: addresses, before anything is made of them.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "live/stacks/python_layout.h"
#include "live/stacks/python_objects.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {

struct ChainLink {
  uint64_t frame = 0, code = 0;
  uint64_t instruction = 0;  // as it stands there: see PythonLayout::Frame
  bool entry = false;
  bool operator==(const ChainLink& other) const {
    return frame == other.frame && code == other.code && instruction == other.instruction &&
           entry == other.entry;
  }
};

struct FrameChain {
  std::vector<ChainLink> links;  // innermost first
  bool cut = false;              // it goes on beyond `most`
};

// Nothing where a pointer leads nowhere or in a circle: the thread runs, or the layout is another.
// `state` is the address of the PyThreadState.
std::optional<FrameChain> read_chain(const TargetMemory& memory, const PythonLayout& layout,
                                     uint64_t state, size_t most);

// The bytes from a code object's first instruction to the one that a frame of it is at; below 0 where it has
// not begun. Nothing where it lies outside of `code_bytes`.
std::optional<int64_t> instruction_offset(const PythonLayout& layout, const ChainLink& link,
                                          uint64_t code_bytes);

}  // namespace lockstep::live
