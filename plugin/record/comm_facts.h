// What NCCL's init() says of a communicator, whatever the version of its table. The name is NCCL's
// own memory and may be gone after init() returns: whoever keeps it copies it.
#pragma once

#include <cstdint>

#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::plugin {

struct CommFacts {
  int abi_version = 0;
  const char* name = nullptr;
  uint64_t id = 0;
  int32_t nodes = 0;
  int32_t ranks = 0;
  int32_t rank = 0;
  abi::DebugLogger log = nullptr;
};

}  // namespace lockstep::plugin
