#include "live/stacks/python_frames.h"

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "live/stacks/thread_rest.h"

namespace lockstep::live {
namespace {

// Bounds for structures that are overwritten while they are read; no real process comes near.
constexpr size_t kInterpreters = 256, kThreads = 1 << 16;

class ProcWatch : public ThreadWatch {
 public:
  ProcWatch(uint32_t pid, uint32_t thread) : pid_(pid), thread_(thread) {}
  void begin() override { before_ = switches_at_rest(pid_, thread_); }
  bool moved() override { return !before_ || switches_at_rest(pid_, thread_) != before_; }

 private:
  uint32_t pid_, thread_;
  std::optional<uint64_t> before_;
};

std::string unreadable(uint32_t pid, int error) {
  return "process " + std::to_string(pid) + ": the kernel does not let us read its memory (" +
         std::strerror(error) +
         "); that takes the process's own user and the right to trace it (ptrace_scope, "
         "CAP_SYS_PTRACE)";
}

}  // namespace

PythonReader::PythonReader(uint32_t pid, const TargetMemory& memory, PythonProcess process,
                           ThreadIds ids)
    : pid_(pid), memory_(&memory), process_(std::move(process)), ids_(std::move(ids)) {}

Result<std::optional<PythonReader>> PythonReader::open(uint32_t pid, const TargetMemory& memory,
                                                       std::string* unknown) {
  const Result<std::vector<Mapping>> mappings = read_maps(pid);
  if (!mappings.ok())
    return Status::error("process " + std::to_string(pid) + ": its mappings cannot be read (" +
                         mappings.message() + ")");
  Result<std::optional<PythonProcess>> process = find_python(pid, memory, mappings.value());
  if (!process.ok()) return process.status();
  if (!process.value()) return std::optional<PythonReader>();
  const ProcessMemory live(pid);
  if (const int error = live.refusal(process.value()->runtime); error != 0)
    return Status::error(unreadable(pid, error));
  if (!process.value()->layout) {
    const PythonVersion version = process.value()->version;
    *unknown = "process " + std::to_string(pid) + " runs CPython" +
               (version.hex == 0 ? "" : " " + version.text()) + " (" + process.value()->file +
               "), whose frames lockstep cannot read: " + process.value()->unknown;
    return std::optional<PythonReader>();
  }
  return std::optional(PythonReader(pid, memory, std::move(*process.value()),
                                    ThreadIds::of(pid, memory, mappings.value())));
}

std::vector<PythonThread> PythonReader::threads() const {
  const PythonLayout& layout = *process_.layout;
  std::vector<PythonThread> threads;
  std::set<uint64_t> seen;
  uint64_t interpreter = 0;
  if (!memory_->read_value(process_.runtime + layout.runtime.interpreters, &interpreter)) return {};
  for (size_t n = 0; interpreter != 0 && n < kInterpreters && seen.insert(interpreter).second;
       ++n) {
    uint64_t state = 0, owner = 0, pthread = 0, task = 0;
    if (!memory_->read_value(interpreter + layout.interpreter.threads, &state)) break;
    while (state != 0 && threads.size() < kThreads && seen.insert(state).second) {
      if (!memory_->read_value(state + layout.thread.interpreter, &owner) || owner != interpreter ||
          !memory_->read_value(state + layout.thread.pthread, &pthread) ||
          (layout.thread.task && !memory_->read_value(state + *layout.thread.task, &task)))
        break;
      threads.push_back({state, ids_.id_of(task, pthread, *memory_)});
      if (!memory_->read_value(state + layout.thread.next, &state)) break;
    }
    if (!memory_->read_value(interpreter + layout.interpreter.next, &interpreter)) break;
  }
  return threads;
}

PythonStack PythonReader::stack(const PythonThread& thread) const {
  ProcWatch watch(pid_, thread.thread);
  PythonStack stack = read_python_stack(*memory_, *process_.layout, thread.state, &watch);
  stack.thread = thread.thread;
  return stack;
}

}  // namespace lockstep::live
