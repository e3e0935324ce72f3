// Whether a thread runs while others look at it, by what /proc/PID/task/TID says before and after. Any thread; the
// parser is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::live {

// How often the thread has been taken off a processor, while it is off it. Nothing for one that runs. The same number
// twice means that it did not run in between.
//
// `syscall` is the file of that name, read before `status`. Its state letter alone does not prove that a thread is off
// the processor: a thread that goes to sleep has it a moment before it is taken off and counted, and may think better
// of it. For `syscall` the kernel waits until the thread is off (kernel/sched/core.c, wait_task_inactive()), and says
// "running" where it is not (of the thread that asks it says its call: there the letter tells); that file takes the right
// to trace. A stopped thread runs no more code of its own.
std::optional<uint64_t> switches_at_rest(std::string_view syscall, std::string_view status);

// Of that thread; nothing for one that is gone.
std::optional<uint64_t> switches_at_rest(uint32_t pid, uint32_t thread);

}  // namespace lockstep::live
