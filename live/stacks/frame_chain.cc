#include "live/stacks/frame_chain.h"

#include <array>
#include <unordered_set>

namespace lockstep::live {
namespace {

// enum _frameowner: 3 is the C evaluator's own frame in 3.12 and 3.13 (FRAME_OWNED_BY_CSTACK,
// Include/internal/pycore_frame.h at v3.12.1), 3 and 4 are such in 3.14
// (Include/internal/pycore_interpframe_structs.h).
constexpr uint8_t kFirstShim = 3, kLastOwner = 4;
constexpr uint64_t kTag = 7;  // of an object's address, which is a multiple of 8

bool read_current_frame(const TargetMemory& memory, const PythonLayout& layout, uint64_t state,
                        uint64_t* frame) {
  uint64_t holder = state;
  if (layout.thread.c_frame && !memory.read_value(state + *layout.thread.c_frame, &holder))
    return false;
  return memory.read_value(holder + layout.thread.frame, frame);
}

struct RawFrame {
  ChainLink link;
  uint64_t back = 0;
  bool shim = false;
};

bool read_frame(const TargetMemory& memory, const PythonLayout& layout, uint64_t address,
                RawFrame* frame) {
  std::array<char, 512> block{};
  const PythonLayout::Frame& at = layout.frame;
  if (at.bytes > block.size() || !memory.read(address, block.data(), at.bytes)) return false;
  frame->back = number_at<uint64_t>(block.data(), at.back);
  frame->link.frame = address;
  frame->link.code = number_at<uint64_t>(block.data(), at.code);
  if (layout.tagged_code) frame->link.code &= ~kTag;
  frame->link.instruction = layout.frames == FrameKind::Objects
                                ? number_at<uint32_t>(block.data(), at.instruction)
                                : number_at<uint64_t>(block.data(), at.instruction);
  const auto mark = number_at<uint8_t>(block.data(), at.mark);
  switch (layout.frames) {
    case FrameKind::Objects:
      frame->link.entry = true;
      return true;
    case FrameKind::EntryMarked:
      frame->link.entry = mark != 0;
      return mark <= 1;
    case FrameKind::Shimmed:
      frame->shim = mark >= kFirstShim;
      return mark <= kLastOwner;
  }
  return false;
}

}  // namespace

std::optional<FrameChain> read_chain(const TargetMemory& memory, const PythonLayout& layout,
                                     uint64_t state, size_t most) {
  FrameChain chain;
  uint64_t address = 0;
  if (!read_current_frame(memory, layout, state, &address)) return std::nullopt;
  std::unordered_set<uint64_t> seen;
  while (address != 0) {
    RawFrame frame;
    if (!seen.insert(address).second || !read_frame(memory, layout, address, &frame))
      return std::nullopt;
    address = frame.back;
    if (frame.shim) {
      if (!chain.links.empty()) chain.links.back().entry = true;
      // A chain of nothing but shims ends, too.
      if (seen.size() > 2 * most + 2) return std::nullopt;
      continue;
    }
    if (chain.links.size() == most) {
      chain.cut = true;
      return chain;
    }
    chain.links.push_back(frame.link);
  }
  return chain;
}

std::optional<int64_t> instruction_offset(const PythonLayout& layout, const ChainLink& link,
                                          uint64_t code_bytes) {
  constexpr int64_t kUnit = 2;
  int64_t offset = 0;
  if (layout.frames == FrameKind::Objects) {
    const auto last = static_cast<int32_t>(link.instruction);
    offset = layout.lines == LineTable::Ranges && last >= 0 ? last * kUnit : last;
  } else {
    offset = static_cast<int64_t>(link.instruction - (link.code + layout.code.bytecode));
  }
  if (offset < -kUnit || (offset >= 0 && static_cast<uint64_t>(offset) >= code_bytes))
    return std::nullopt;
  return offset;
}

}  // namespace lockstep::live
