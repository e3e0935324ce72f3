// The Python frames of processes whose interpreter is none that python_layout.h knows, by py-spy
// (https://github.com/benfred/py-spy) where PATH has it: `py-spy dump --nonblocking --json --pid PID`, which
// reads the process's memory as we do and stops nothing. Starts a process and waits for it; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "live/stacks/python_stack.h"
#include "lockstep/status.h"

namespace lockstep::live {

// Its answer: a list of threads (`os_thread_id`, a number or null; `frames`, innermost first, each with `name`,
// `filename`, `line` and, in newer versions, `is_entry` or `is_shim_entry`), as in src/stack_trace.rs of 0.4.
// Threads are Torn, for nothing in it says whether they ran. The error says what is wrong with the text.
Result<std::vector<PythonStack>> parse_py_spy(std::string_view json);

// Those threads Whole that did not run meanwhile. The error is a sentence: py-spy is not there, what it said,
// or that it took longer.
Result<std::vector<PythonStack>> ask_py_spy(uint32_t pid, int64_t patience_ns);

}  // namespace lockstep::live
