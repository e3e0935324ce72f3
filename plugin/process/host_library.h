// Which library loaded us, NCCL or AMD's RCCL, and in which version: found once, at the first init,
// by the addresses that it passes to us. Only looks at what is loaded already; the one function
// called is ncclGetVersion, which returns a constant. Never fails: what cannot be found out is
// NCCL of an unknown version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/profiler_versions.h"

namespace lockstep::plugin {

struct HostLibrary {
  abi::Library library = abi::Library::Nccl;
  uint32_t version = 0;  // 23102 is 2.31.2; 0 = not known
  std::string file;      // where it is, or the program it is linked into; empty = not known
};

// `addresses`: functions or variables of the library, the surest first. NULL and those that lie in
// no library (a stack, a heap) are passed over.
HostLibrary find_host_library(const std::vector<const void*>& addresses);

}  // namespace lockstep::plugin
