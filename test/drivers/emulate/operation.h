// What a user asks of a communicator, and how NCCL would cut it into steps.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep::driver {

struct Operation {
  const char* func = "AllReduce";
  uint64_t size_bytes = 0;  // what the user calls the size: the buffer of an AllReduce, the part of
                            // one rank elsewhere
  int root = 0;
  int peer = 0;  // Send, Recv
};

bool is_p2p(const Operation& operation);

// One direction of one channel.
struct ChannelPlan {
  int steps = 0;
  uint64_t slice_bytes = 0;
  uint64_t total_bytes = 0;
};

struct OperationPlan {
  int channels = 0;
  ChannelPlan receive;  // steps 0: this rank does not receive
  ChannelPlan send;
  int lead = 0;  // sends that may run ahead of receives
  int32_t chunk_bytes = 0;
};

// A Broadcast and anything on one rank has no proxy side: channels 0. user_buffers: what is sent and
// received lies in registered memory, from which the network takes a GiB at a time.
OperationPlan plan_operation(const Operation& operation, int ranks, int rank, int channels,
                             bool user_buffers = false);

// "allreduce", "allgather", "reducescatter", "reduce", "broadcast": the name NCCL gives it.
Result<const char*> function_of_option(const std::string& option);

}  // namespace lockstep::driver
