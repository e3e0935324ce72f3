// What a thread of another process did at one instant: its registers and its stack, copied while it
// stood still. copy_thread() stops one thread with PTRACE_SEIZE and PTRACE_INTERRUPT, copies and lets
// go; nothing is unwound meanwhile, so that a stop takes microseconds. PTRACE_ATTACH is never used:
// it sends a SIGSTOP that outlives a tracer which is killed at that moment, whereas the kernel lets a
// seized thread go on when its tracer is gone, however that ends. Which system calls notice: docs/live.md.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "live/stacks/process_maps.h"

namespace lockstep::live {

#if defined(__x86_64__)
constexpr unsigned kDwarfRegisters = 17;  // rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip
#elif defined(__aarch64__)
constexpr unsigned kDwarfRegisters = 32;  // x0..x30 sp
#else
constexpr unsigned kDwarfRegisters = 0;
#endif

struct Registers {
  std::array<uint64_t, kDwarfRegisters> by_number{};  // as DWARF numbers them
  uint64_t pc = 0, sp = 0;
};

struct ThreadCopy {
  enum class Outcome : uint8_t {
    Copied,
    Gone,         // it ended
    Refused,      // no right to trace it; `error` is the errno
    Unstoppable,  // it did not stop within the time: it waits in the kernel where nothing can wake it
  };
  Outcome outcome = Outcome::Gone;
  int error = 0;
  Registers registers;
  uint64_t stack_from = 0;       // address of stack[0]: the red zone below the stack pointer
  uint64_t stack_end = 0;        // of the mapping: addresses up to it are the copy's or nobody's
  std::vector<std::byte> stack;  // shorter than the mapping where the stack is deep
  int64_t at_ns = 0;             // CLOCK_MONOTONIC in the middle of the stop
  int64_t stopped_ns = 0;        // from before it was asked to stop until it had been let go
};

// `map`: of read_maps(), to see where a stack ends. After Unstoppable the calling thread must end before anything else is traced: only that lets go of
// a thread which is not stopped. `patience_ns`: how long it may take to stop. `while_stopped` may read memory of the process that the thread owns;
// its time is part of the stop.
ThreadCopy copy_thread(pid_t pid, pid_t tid, const std::vector<Mapping>& map, int64_t patience_ns,
                       const std::function<void()>& while_stopped);

}  // namespace lockstep::live
