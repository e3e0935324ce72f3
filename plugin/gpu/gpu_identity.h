// Which GPU the calling thread works on, asked of the CUDA driver when the host program has it
// loaded. Called in init only (NCCL has set the device by then); never links, loads or initialises
// CUDA itself.
#pragma once

#include <string>

#include "dumper/feeds/comm_gpus.h"

namespace lockstep::plugin {

struct GpuUuid {
  unsigned char bytes[16];
};
std::string uuid_text(const GpuUuid& uuid);

// Without CUDA: the launcher's local rank in place of the ordinal, or "unknown".
dumper::GpuName current_gpu();

}  // namespace lockstep::plugin
