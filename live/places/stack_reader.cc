#include "live/places/stack_reader.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "base/clock_ns.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/thread.h"
#include "live/native/thread_copy.h"
#include "live/native/trace_right.h"
#include "live/native/unwind.h"
#include "live/stacks/merge_frames.h"
#include "live/stacks/py_spy.h"
#include "live/stacks/python_frames.h"

namespace lockstep::live {
namespace {

using Outcome = ThreadCopy::Outcome;

constexpr int64_t kPatienceNs = 1'000'000'000;  // for a thread to stop
// For the next ones, once a thread of the process did not stop: they often wait for the same.
constexpr int64_t kShortPatienceNs = 50'000'000;
constexpr int64_t kPySpyPatienceNs = 5'000'000'000;
constexpr unsigned kMostAtOnce = 4;  // processes; in each of them one thread at a time

struct Target {
  ProcessStacks result;
  std::vector<size_t> chosen;      // of result.threads; in the next round
  std::vector<ThreadCopy> copies;  // of this round, one for each chosen
  bool asked = false;              // for the right to trace it
  Status right;

  // Where it runs CPython.
  std::unique_ptr<ProcessMemory> memory;
  std::optional<PythonReader> python;
  std::map<pid_t, PythonThread> python_threads;
  bool spied = false;  // its interpreter is none we know: py-spy is asked, once a round
  std::vector<PythonStack> python_stacks;  // beside `copies`
};

// Whether a process runs Python is found out once, as soon as its memory may be read.
void find_python(const std::vector<Mapping>& map, Target* target) {
  if (target->memory == nullptr && !map.empty()) {
    const auto pid = static_cast<uint32_t>(target->result.pid);
    auto memory = std::make_unique<ProcessMemory>(pid);
    if (memory->refusal(map.front().start) != 0) return;
    target->memory = std::move(memory);
    auto python = PythonReader::open(pid, *target->memory, &target->result.python);
    if (python.ok())
      target->python = std::move(python.value());
    else
      target->result.python = python.message();
    target->spied = python.ok() && !target->result.python.empty();
  }
  target->python_threads.clear();
  if (!target->python) return;
  for (const PythonThread& thread : target->python->threads())
    target->python_threads[static_cast<pid_t>(thread.thread)] = thread;
}

// The frames of threads that stood still while py-spy looked. They are copied right afterwards: of one that woke
// up in between, native and Python frames are of two instants.
void spy(int64_t deadline_ns, Target* target) {
  const int64_t left_ns = deadline_ns - mono_now_ns();
  if (!target->spied || left_ns <= 0) return;
  ProcessStacks& process = target->result;
  const auto stacks =
      ask_py_spy(static_cast<uint32_t>(process.pid), std::min(left_ns, kPySpyPatienceNs));
  target->spied = stacks.ok();
  if (!stacks.ok()) {
    process.python += (process.python.empty() ? "" : "; ") + stacks.message();
    return;
  }
  process.python.clear();
  for (size_t i = 0; i < target->chosen.size(); ++i) {
    const pid_t tid = process.threads[target->chosen[i]].state.tid;
    for (const PythonStack& stack : stacks.value()) {
      if (static_cast<pid_t>(stack.thread) == tid && stack.state == PythonStackState::Whole)
        target->python_stacks[i] = stack;
    }
  }
}

// Copies threads until one does not stop: then only the end of the calling thread lets go of it.
// Gives the index of the next one to copy.
size_t copy_some(Target* target, const std::vector<Mapping>& map, size_t next,
                 const StackOptions& options, bool hasty) {
  for (; next < target->chosen.size(); ++next) {
    if (mono_now_ns() > options.deadline_ns) return target->chosen.size();
    const pid_t tid = target->result.threads[target->chosen[next]].state.tid;
    const auto python = target->python_threads.find(tid);
    const auto read_python = [&] {
      target->python_stacks[next] = target->python->stack(python->second);
    };
    ThreadCopy& copy = target->copies[next];
    copy =
        copy_thread(target->result.pid, tid, map, hasty ? kShortPatienceNs : kPatienceNs,
                    python == target->python_threads.end() ? std::function<void()>() : read_python);
    if (copy.outcome == Outcome::Unstoppable) return next + 1;
  }
  return next;
}

bool refused(const Target& target) {
  return std::any_of(target.copies.begin(), target.copies.end(),
                     [](const ThreadCopy& copy) { return copy.outcome == Outcome::Refused; });
}

void copy_all(Target* target, const StackOptions& options) {
  const auto map = read_maps(static_cast<uint32_t>(target->result.pid));
  const std::vector<Mapping> mappings = map.ok() ? map.value() : std::vector<Mapping>();
  target->copies.assign(target->chosen.size(), ThreadCopy());
  target->python_stacks.assign(target->chosen.size(), PythonStack());
  find_python(mappings, target);
  spy(options.deadline_ns, target);
  bool hasty = false;
  for (size_t next = 0; next < target->chosen.size(); hasty = true) {
    const auto tracer = start_thread(
        "lockstep-trace", [&] { next = copy_some(target, mappings, next, options, hasty); });
    if (!tracer) return;
    pthread_join(*tracer, nullptr);
  }
}

void copy_round(std::vector<Target>* targets, const StackOptions& options, const AskForRight& ask) {
  in_parallel(targets->size(), kMostAtOnce, [&](size_t i) {
    Target& target = (*targets)[i];
    copy_all(&target, options);
    if (!refused(target) || target.asked || !ask) return;
    target.asked = true;
    target.right = ask(target.result.pid);
    if (target.right.ok()) copy_all(&target, options);
  });
}

std::string why_unread(const Target& target, const ThreadStacks& thread, const ThreadCopy& copy) {
  switch (copy.outcome) {
    case Outcome::Refused: {
      const std::string why = why_refused(target.result.pid, thread.state.tid, copy.error);
      return target.asked && !target.right.ok() ? why + "; " + target.right.message() : why;
    }
    case Outcome::Unstoppable:
      return "unreadable: it did not stop within a second";
    case Outcome::Gone:
      return "it ended meanwhile";
    case Outcome::Copied:
      break;
  }
  return "libdw finds no frame";
}

void note_stop(const ThreadCopy& copy, ProcessStacks* process) {
  process->stops_ns.push_back(copy.stopped_ns);
  if (process->first_ns == 0 || copy.at_ns < process->first_ns) process->first_ns = copy.at_ns;
  process->last_ns = std::max(process->last_ns, copy.at_ns);
}

std::vector<Frame> with_python(std::vector<Frame> native, const std::vector<PythonFrame>& python) {
  if (python.empty()) return native;
  std::vector<std::string> names;
  for (const Frame& frame : native) names.push_back(frame.function);
  std::vector<Frame> frames;
  for (const MergedFrame& merged : merge_frames(names, python).frames) {
    if (!merged.python) {
      frames.push_back(std::move(native[merged.index]));
      continue;
    }
    const PythonFrame& frame = python[merged.index];
    frames.push_back({frame.function, frame.file,
                      static_cast<uint32_t>(std::max(frame.line, int32_t{0})), kPythonModule, 0});
  }
  return frames;
}

void unwind_round(Target* target, int64_t deadline_ns, SymbolCache* symbols) {
  ProcessStacks& process = target->result;
  process.first_ns = process.last_ns = 0;
  const auto unwinder = Unwinder::open(process.pid, symbols);
  for (size_t i = 0; i < target->copies.size(); ++i) {
    ThreadStacks& thread = process.threads[target->chosen[i]];
    const ThreadCopy& copy = target->copies[i];
    if (copy.outcome == Outcome::Copied) note_stop(copy, &process);
    std::vector<Frame> frames;
    const bool late = mono_now_ns() > deadline_ns;
    if (copy.outcome == Outcome::Copied && unwinder.ok() && !late)
      frames = unwinder.value()->unwind(copy);
    std::reverse(frames.begin(), frames.end());
    frames = with_python(std::move(frames), target->python_stacks[i].frames);
    if (!frames.empty()) {
      thread.samples.push_back(std::move(frames));
    } else if (thread.samples.empty()) {
      const bool no_unwinder = copy.outcome == Outcome::Copied && !unwinder.ok();
      thread.unread = late          ? "there was no time left for it (--timeout)"
                      : no_unwinder ? unwinder.message()
                                    : why_unread(*target, thread, copy);
    }
  }
  target->copies.clear();
}

bool is_chosen(const ThreadStacks& thread, bool is_main, ThreadChoice choice) {
  if (choice == ThreadChoice::All) return true;
  if (is_main) return choice != ThreadChoice::Nccl;
  if (choice == ThreadChoice::Main) return false;
  if (starts_with(thread.state.name, "NCCL")) return true;
  return std::any_of(thread.samples.begin(), thread.samples.end(), [](const auto& frames) {
    return std::any_of(frames.begin(), frames.end(), is_nccl_or_gpu);
  });
}

void begin(pid_t pid, const StackOptions& options, Target* target) {
  ProcessStacks& process = target->result;
  process.pid = pid;
  process.command = command_of(pid);
  for (ThreadState& state : threads_of(pid)) process.threads.push_back({std::move(state), {}, {}});
  const bool main_only = options.threads == ThreadChoice::Main;
  for (size_t i = 0; i < process.threads.size() && (i == 0 || !main_only); ++i)
    target->chosen.push_back(i);
}

// After the first round, when it is known what the threads do.
void choose(const StackOptions& options, Target* target) {
  ProcessStacks& process = target->result;
  std::vector<ThreadStacks> kept;
  for (size_t i = 0; i < process.threads.size(); ++i) {
    if (is_chosen(process.threads[i], i == 0, options.threads))
      kept.push_back(std::move(process.threads[i]));
  }
  process.other_threads = process.threads.size() - kept.size();
  process.threads = std::move(kept);
  target->chosen.clear();
  for (size_t i = 0; i < process.threads.size(); ++i) {
    if (!process.threads[i].samples.empty()) target->chosen.push_back(i);
  }
}

void end(Target* target) {
  ProcessStacks& process = target->result;
  if (process.threads.empty() && process.other_threads == 0)
    process.unread = "there is no process " + std::to_string(process.pid) + " on this host";
  bool any = process.threads.empty();
  for (const ThreadStacks& thread : process.threads) any = any || thread.unread.empty();
  if (!any) process.unread = process.threads.front().unread;
}

void sleep_until(int64_t mono_ns) {
  const timespec until{mono_ns / 1'000'000'000, mono_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

bool ThreadStacks::moved() const {
  const auto same_function = [](const Frame& a, const Frame& b) {
    return a.function == b.function && a.module == b.module;
  };
  return std::any_of(samples.begin(), samples.end(), [&](const std::vector<Frame>& sample) {
    return !std::equal(sample.begin(), sample.end(), samples.front().begin(), samples.front().end(),
                       same_function);
  });
}

std::optional<ThreadChoice> thread_choice_of(std::string_view word) {
  if (word.empty()) return ThreadChoice::MainAndNccl;
  if (word == "all") return ThreadChoice::All;
  if (word == "main") return ThreadChoice::Main;
  if (word == "nccl") return ThreadChoice::Nccl;
  return std::nullopt;
}

bool is_nccl_or_gpu(const Frame& frame) {
  for (const char* library : {"libnccl.so", "librccl.so", "libcuda.so", "libcudart.so",
                              "libamdhip64.so", "libhsa-runtime64.so"}) {
    if (starts_with(frame.module, library)) return true;
  }
  // Where NCCL or the runtime is part of another library, as in PyTorch's wheels.
  for (const char* name : {"nccl", "pnccl", "cuda", "hip"}) {
    if (starts_with(frame.function, name)) return true;
  }
  return false;
}

std::vector<ProcessStacks> read_stacks(const std::vector<pid_t>& pids, const StackOptions& options,
                                       const AskForRight& ask) {
  if (pids.empty()) return {};  // not to wait between samples of nothing
  std::vector<Target> targets(pids.size());
  for (size_t i = 0; i < pids.size(); ++i) begin(pids[i], options, &targets[i]);
  SymbolCache symbols;
  for (unsigned round = 0; round < std::max(1u, options.samples); ++round) {
    const int64_t begin_ns = mono_now_ns();
    copy_round(&targets, options, ask);
    for (Target& target : targets) unwind_round(&target, options.deadline_ns, &symbols);
    if (round == 0) {
      for (Target& target : targets) choose(options, &target);
    }
    const int64_t next_ns = begin_ns + options.interval_ns;
    if (round + 1 >= options.samples || next_ns > options.deadline_ns) break;
    sleep_until(next_ns);
  }
  std::vector<ProcessStacks> results;
  for (Target& target : targets) {
    end(&target);
    results.push_back(std::move(target.result));
  }
  return results;
}

}  // namespace lockstep::live
