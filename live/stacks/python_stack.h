// One Python thread's stack out of memory that may change meanwhile. What is needed of the process besides its
// memory comes as an argument, so that copies and made-up memories can be read as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/stacks/python_layout.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {

struct PythonFrame {
  std::string function;  // qualified from 3.11 on: "Trainer.step"
  std::string file;      // as the interpreter has it, at times relative
  int32_t line = 0;      // 0: not known
  // The first that a call of the C evaluator (_PyEval_EvalFrameDefault) ran: see merge_frames.h.
  bool entry = false;
};

enum class PythonStackState : uint8_t {
  Whole,
  Torn,  // the thread ran: `frames` are the outer ones that were the same in every reading
  Cut,   // deeper than kPythonFrames: `frames` are the inner ones
};
constexpr size_t kPythonFrames = 4096;

struct PythonStack {
  uint32_t thread = 0;  // the kernel's id in our numbers; 0 where nothing tells it
  PythonStackState state = PythonStackState::Whole;
  std::vector<PythonFrame> frames;  // outermost first; none in a thread that runs no Python now
};

// Whether a thread has run: moved() tells of the time since begin().
class ThreadWatch {
 public:
  virtual ~ThreadWatch() = default;
  virtual void begin() = 0;
  virtual bool moved() = 0;
};

// `state`: the address of the PyThreadState. Without `thread`, which is the caller's.
PythonStack read_python_stack(const TargetMemory& memory, const PythonLayout& layout,
                              uint64_t state, ThreadWatch* watch);

}  // namespace lockstep::live
