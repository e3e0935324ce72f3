// Finds CPython in a process: where its `_PyRuntime` lies, which version it is, and where that version
// keeps what a stack is read from. In the program itself or in a libpython, by the symbol or by the section
// of that name. Reads /proc/PID and the files it names; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/stacks/process_maps.h"
#include "live/stacks/python_layout.h"
#include "live/stacks/target_memory.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct PythonProcess {
  PythonVersion version;
  std::string file;      // the program or library that holds the interpreter
  uint64_t runtime = 0;  // the address of _PyRuntime
  // Nothing where neither the table nor the interpreter tells it: `unknown` says why.
  std::optional<PythonLayout> layout;
  std::string unknown;
};

// Nothing where the process has no CPython. The error is a sentence: it names the process.
Result<std::optional<PythonProcess>> find_python(uint32_t pid, const TargetMemory& memory,
                                                 const std::vector<Mapping>& mappings);

// 3.9 from "libpython3.9.so.1.0", "python3.9" or "/usr/lib/python3.9/lib-dynload/_ctypes.so"; hex 0 from
// others.
PythonVersion version_in_path(std::string_view path);

}  // namespace lockstep::live
