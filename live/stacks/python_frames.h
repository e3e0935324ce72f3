// The Python functions that each thread of another process is in, read from the interpreter's structures
// from outside, while the process runs or stands still: CPython 3.9 to 3.14, others by py-spy where it is
// installed (py_spy.h). Nothing in the process is stopped, changed or called. A thread that is blocked, in
// NCCL or in a system call, or that the caller has stopped, is read exactly: the kernel says that it has not
// run meanwhile (thread_rest.h). One that runs Python at that moment is Torn. One at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/stacks/process_maps.h"
#include "live/stacks/python_process.h"
#include "live/stacks/python_stack.h"
#include "live/stacks/target_memory.h"
#include "live/stacks/thread_ids.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct PythonThread {
  uint64_t state = 0;  // the address of its PyThreadState
  uint32_t thread = 0;
};

// One process's interpreter. Keeps a reference to `memory`.
class PythonReader {
 public:
  // Nothing where the process has no CPython, or one whose structures are not known: `unknown` then has a
  // sentence that names it. The error is a sentence, too: what could not be read.
  static Result<std::optional<PythonReader>> open(uint32_t pid, const TargetMemory& memory,
                                                  std::string* unknown);
  PythonReader(uint32_t pid, const TargetMemory& memory, PythonProcess process, ThreadIds ids);

  std::string version() const { return process_.version.text(); }

  // Those of all interpreters, without those that have ended.
  std::vector<PythonThread> threads();
  PythonStack stack(const PythonThread& thread) const;

 private:
  uint32_t pid_;
  const TargetMemory* memory_;
  PythonProcess process_;
  ThreadIds ids_;
};

}  // namespace lockstep::live
