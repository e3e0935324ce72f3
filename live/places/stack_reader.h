// The stacks of processes of this host: every thread is stopped by itself for as long as it takes to
// copy its registers and stack, round by round, and unwound afterwards. The processes run on. Stops
// threads from threads of its own. Any thread; two calls about one process are in each other's way,
// and the later one is told so. Nothing is thrown but bad_alloc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/native/frame.h"
#include "live/native/thread_state.h"
#include "lockstep/status.h"

namespace lockstep::live {

enum class ThreadChoice : uint8_t {
  MainAndNccl,  // the main thread, and those with frames of NCCL, RCCL, CUDA or HIP
  Main,
  Nccl,
  All,
};

// "all", "main", "nccl"; "" is MainAndNccl. Nothing for another word.
std::optional<ThreadChoice> thread_choice_of(std::string_view word);

constexpr unsigned kMostSamples = 100;

struct StackOptions {
  ThreadChoice threads = ThreadChoice::MainAndNccl;
  unsigned samples = 3;               // rounds
  int64_t interval_ns = 200'000'000;  // from the beginning of one to the next, at least
  int64_t deadline_ns = INT64_MAX;    // of CLOCK_MONOTONIC; later nothing is stopped
};

struct ThreadStacks {
  ThreadState state;
  std::string unread;                       // why there are no frames; empty: there are
  std::vector<std::vector<Frame>> samples;  // outermost frame first, oldest sample first

  bool moved() const;  // the samples differ in their functions, not only in lines
};

struct ProcessStacks {
  pid_t pid = 0;
  std::string command;
  std::string unread;  // why no thread could be read; empty: at least one was
  std::string
      python;  // why no frames of Python code could be read; empty: they were, or it has none
  std::vector<ThreadStacks> threads;  // those chosen, the main thread first
  size_t other_threads = 0;           // that were not chosen
  std::vector<int64_t> stops_ns;      // how long each stop of its threads took
  // CLOCK_MONOTONIC of the first and the last copy of the last round.
  int64_t first_ns = 0, last_ns = 0;
};

// Asks a process for the right to trace it; called once, at its first refusal. The error says why
// not.
using AskForRight = std::function<Status(pid_t pid)>;

// One for each pid, in their order. A process that is gone has `unread` and no threads.
std::vector<ProcessStacks> read_stacks(const std::vector<pid_t>& pids, const StackOptions& options,
                                       const AskForRight& ask);

// Frames of NCCL, RCCL or a GPU's runtime; not those of profiler plugins.
bool is_nccl_or_gpu(const Frame& frame);

}  // namespace lockstep::live
