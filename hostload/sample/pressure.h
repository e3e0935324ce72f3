// Pressure stall information, of the host (/proc/pressure) or of a cgroup of version 2. A kernel
// without it has no such files.
#pragma once

#include <string_view>

#include "hostload/sample/kernel_file.h"
#include "lockstep/load_record.h"

namespace lockstep::hostload {

// Totals of the lines `some` and `full`.
struct Pressure {
  int64_t some_ns = kNotSampled, full_ns = kNotSampled;
};
Pressure read_pressure(std::string_view text);

// Reads `cpu`, `memory` and `io` where `path_of` says that they lie.
template <class PathOf>
void read_pressures(PathOf path_of, HostLoad* load) {
  load->cpu_some_ns = read_pressure(read_kernel_file(path_of("cpu"))).some_ns;
  const Pressure memory = read_pressure(read_kernel_file(path_of("memory")));
  load->memory_some_ns = memory.some_ns;
  load->memory_full_ns = memory.full_ns;
  const Pressure io = read_pressure(read_kernel_file(path_of("io")));
  load->io_some_ns = io.some_ns;
  load->io_full_ns = io.full_ns;
}

}  // namespace lockstep::hostload
