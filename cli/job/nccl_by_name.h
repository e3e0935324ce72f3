// NCCL 2.27.3 opens a profiler plugin only by its name: of a value of NCCL_PROFILER_PLUGIN that is
// no lib*.so it makes libnccl-profiler-VALUE.so, of a path as well, and then finds nothing. Other
// versions take a path, which needs no search path and so survives containers that set their own.
// Only looks at files; what it does not find is taken for another version.
#pragma once

#include <string>

namespace lockstep::cli {

// What shows that programs started here load NCCL 2.27.3: libnccl in LD_LIBRARY_PATH, or NVIDIA's
// package in the Python environment (VIRTUAL_ENV, CONDA_PREFIX, the first python3 of PATH). Empty:
// nothing does.
std::string find_nccl_by_name_only();

}  // namespace lockstep::cli
