// Which file lies where in a process: /proc/PID/maps. Any thread; the parser is pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

struct Mapping {
  uint64_t start = 0, end = 0;  // addresses, end excluded
  uint64_t offset = 0;          // in the file, bytes
  std::string path;             // as the process sees it; empty for memory without a file
};

// Lines of another shape are left out.
std::vector<Mapping> parse_maps(std::string_view text);

// The reason alone: no such process, or the kernel does not show us its mappings.
Result<std::vector<Mapping>> read_maps(uint32_t pid);

}  // namespace lockstep::live
