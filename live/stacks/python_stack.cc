#include "live/stacks/python_stack.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "live/stacks/frame_chain.h"
#include "live/stacks/python_lines.h"
#include "live/stacks/python_objects.h"

namespace lockstep::live {
namespace {

// A thread that runs Python without a pause changes its inner frames each microsecond; one that waits for
// the interpreter's lock stands still for milliseconds.
constexpr int kAttempts = 4;

// What is known of the links' functions; a link whose code object cannot be believed has none.
using Described = std::vector<std::optional<PythonFrame>>;

std::optional<PythonFrame> frame_of(const PythonLayout& layout, const PythonCode& code,
                                    const ChainLink& link) {
  const std::optional<int64_t> offset = instruction_offset(layout, link, code.code_bytes);
  if (!offset && !layout.copied_code) return std::nullopt;
  PythonFrame frame{code.function, code.file, 0, link.entry};
  if (offset) frame.line = line_of(layout.lines, code.lines, code.first_line, *offset);
  return frame;
}

// One code object at a time, so that not all their line tables are held at once.
Described describe(const TargetMemory& memory, const PythonLayout& layout,
                   const std::vector<ChainLink>& links) {
  std::map<uint64_t, std::vector<size_t>> by_code;
  for (size_t i = 0; i < links.size(); ++i) by_code[links[i].code].push_back(i);
  Described frames(links.size());
  const PythonObjects objects(memory, layout);
  for (const auto& [address, places] : by_code) {
    const std::optional<PythonCode> code = objects.code(address);
    for (const size_t i : places)
      if (code) frames[i] = frame_of(layout, *code, links[i]);
  }
  return frames;
}

// Leaves of `common` the outer links that `links` has as well, at the same instructions. Two readings of a
// running thread may agree by chance in what never stood together; several hardly do.
void keep_shared_outer(const std::vector<ChainLink>& links, std::vector<ChainLink>* common) {
  const auto differs =
      std::mismatch(common->rbegin(), common->rend(), links.rbegin(), links.rend());
  common->erase(common->begin(), differs.first.base());
}

std::vector<PythonFrame> outermost_first(const Described& frames, size_t outer) {
  std::vector<PythonFrame> stack;
  for (size_t i = 0; i < outer; ++i) {
    const std::optional<PythonFrame>& frame = frames[frames.size() - 1 - i];
    if (!frame) break;
    stack.push_back(*frame);
  }
  return stack;
}

}  // namespace

PythonStack read_python_stack(const TargetMemory& memory, const PythonLayout& layout,
                              uint64_t state, ThreadWatch* watch) {
  std::optional<std::vector<ChainLink>> common;
  int readings = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    watch->begin();
    const std::optional<FrameChain> chain = read_chain(memory, layout, state, kPythonFrames);
    if (!chain) continue;
    std::vector<PythonFrame> frames =
        outermost_first(describe(memory, layout, chain->links), chain->links.size());
    if (frames.size() == chain->links.size() && !watch->moved())
      return {0, chain->cut ? PythonStackState::Cut : PythonStackState::Whole, std::move(frames)};
    ++readings;
    // Of a chain that was cut the outer links are not known.
    if (!common) common = chain->links;
    if (chain->cut) common->clear();
    keep_shared_outer(chain->links, &*common);
  }
  if (readings < 2) return {0, PythonStackState::Torn, {}};
  return {0, PythonStackState::Torn,
          outermost_first(describe(memory, layout, *common), common->size())};
}

}  // namespace lockstep::live
