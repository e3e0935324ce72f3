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
constexpr int kWalks = 4;

struct ThreadEntry {
  uint64_t state = 0, pthread = 0, task = 0;
};
struct ThreadWalk {
  std::vector<ThreadEntry> threads;
  bool whole = false;  // every list was followed to its end
};

bool read_entry(const TargetMemory& memory, const PythonLayout& layout, uint64_t state,
                uint64_t interpreter, ThreadEntry* entry) {
  uint64_t owner = 0;
  entry->state = state;
  return memory.read_value(state + layout.thread.interpreter, &owner) && owner == interpreter &&
         memory.read_value(state + layout.thread.pthread, &entry->pthread) &&
         (!layout.thread.task || memory.read_value(state + *layout.thread.task, &entry->task));
}

ThreadWalk walk_threads(const TargetMemory& memory, const PythonLayout& layout, uint64_t runtime) {
  ThreadWalk walk;
  std::set<uint64_t> seen;
  uint64_t interpreter = 0, state = 0;
  if (!memory.read_value(runtime + layout.runtime.interpreters, &interpreter)) return walk;
  for (size_t n = 0; interpreter != 0; ++n) {
    if (n == kInterpreters || !seen.insert(interpreter).second ||
        !memory.read_value(interpreter + layout.interpreter.threads, &state))
      return walk;
    while (state != 0) {
      ThreadEntry entry;
      if (walk.threads.size() == kThreads || !seen.insert(state).second ||
          !read_entry(memory, layout, state, interpreter, &entry) ||
          !memory.read_value(state + layout.thread.next, &state))
        return walk;
      walk.threads.push_back(entry);
    }
    if (!memory.read_value(interpreter + layout.interpreter.next, &interpreter)) return walk;
  }
  walk.whole = true;
  return walk;
}

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

std::vector<PythonThread> PythonReader::threads() {
  // The list is newest first: where it changed under the walk the main thread is what would be missing.
  ThreadWalk best;
  for (int attempt = 0; attempt < kWalks && !best.whole; ++attempt) {
    ThreadWalk walk = walk_threads(*memory_, *process_.layout, process_.runtime);
    if (walk.whole || walk.threads.size() >= best.threads.size()) best = std::move(walk);
  }
  ids_.refresh(pid_);
  std::vector<PythonThread> threads;
  for (const ThreadEntry& entry : best.threads)
    threads.push_back({entry.state, ids_.id_of(entry.task, entry.pthread, *memory_)});
  return threads;
}

PythonStack PythonReader::stack(const PythonThread& thread) const {
  ProcWatch watch(pid_, thread.thread);
  PythonStack stack = read_python_stack(*memory_, *process_.layout, thread.state, &watch);
  stack.thread = thread.thread;
  return stack;
}

}  // namespace lockstep::live
