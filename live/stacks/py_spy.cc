#include "live/stacks/py_spy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "live/stacks/child_output.h"
#include "live/stacks/thread_ids.h"
#include "live/stacks/thread_rest.h"

namespace lockstep::live {
namespace {

// A thousand threads of a hundred frames have some 30 MB.
constexpr size_t kAnswerBytes = 128 << 20;

PythonFrame frame_of(const json::Value& object) {
  PythonFrame frame{text_member(object, "name"), text_member(object, "filename"), 0, false};
  frame.line = static_cast<int32_t>(std::min<uint64_t>(uint_member(object, "line"), INT32_MAX));
  frame.entry = bool_member(object, "is_entry") || bool_member(object, "is_shim_entry");
  return frame;
}

PythonStack stack_of(const json::Value& object, const json::Value& frames) {
  PythonStack stack{0, PythonStackState::Torn, {}};
  const uint64_t thread = uint_member(object, "os_thread_id");
  if (thread <= UINT32_MAX) stack.thread = static_cast<uint32_t>(thread);
  const size_t count = std::min<size_t>(frames.Size(), kPythonFrames);
  for (size_t i = count; i-- > 0;)
    stack.frames.push_back(frame_of(frames[static_cast<json::SizeType>(i)]));
  // The outermost function is always begun by the evaluator; older versions mark none at all.
  if (!stack.frames.empty()) stack.frames.front().entry = true;
  return stack;
}

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), size_t{300}));
}

}  // namespace

Result<std::vector<PythonStack>> parse_py_spy(std::string_view text) {
  json::Document document;
  if (const auto error = parse_exact_json(text, &document))
    return Status::error("its answer is no JSON at byte " + std::to_string(error->byte));
  if (!document.IsArray()) return Status::error("its answer is no list of threads");
  std::vector<PythonStack> stacks;
  for (json::SizeType i = 0; i < document.Size(); ++i) {
    const json::Value* frames = list_member(document[i], "frames");
    if (frames == nullptr) return Status::error("its answer has a thread without `frames`");
    stacks.push_back(stack_of(document[i], *frames));
  }
  return stacks;
}

Result<std::vector<PythonStack>> ask_py_spy(uint32_t pid, int64_t patience_ns) {
  std::map<uint32_t, uint64_t> before;
  for (const uint32_t thread : thread_ids_of(pid))
    if (const auto switches = switches_at_rest(pid, thread)) before[thread] = *switches;
  const Result<ChildOutput> said =
      run_and_read({"py-spy", "dump", "--nonblocking", "--json", "--pid", std::to_string(pid)},
                   patience_ns, kAnswerBytes);
  const std::string who = "py-spy, asked for process " + std::to_string(pid);
  if (!said.ok()) return Status::error(who + ": " + said.message());
  if (said.value().code != 0)
    return Status::error(who + ", ended with code " + std::to_string(said.value().code) + ": " +
                         first_line(said.value().error));
  Result<std::vector<PythonStack>> stacks = parse_py_spy(said.value().output);
  if (!stacks.ok()) return Status::error(who + ": " + stacks.message());
  for (PythonStack& stack : stacks.value()) {
    const auto then = before.find(stack.thread);
    const bool rested = then != before.end() && switches_at_rest(pid, stack.thread) == then->second;
    if (rested) stack.state = PythonStackState::Whole;
  }
  return stacks;
}

}  // namespace lockstep::live
