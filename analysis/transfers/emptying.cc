#include "analysis/transfers/emptying.h"

#include <algorithm>
#include <bitset>

namespace lockstep::analysis {
namespace {

constexpr uint64_t kBuffersOfChannel = 8;  // NCCL_STEPS

}  // namespace

int64_t emptying_ns(const OperationRow& receiver, int64_t late_ns) {
  const uint64_t received = receiver.steps - receiver.send_steps;
  if (received == 0) return kNoTime;
  const uint64_t channels = std::max<uint64_t>(1, std::bitset<64>(receiver.channels_mask).count());
  const uint64_t waited = std::min(received, channels * kBuffersOfChannel);
  const int64_t all_ns = receiver.gpu_wait_ns - receiver.send_gpu_wait_ns;
  return std::max<int64_t>(0, all_ns - static_cast<int64_t>(waited) * late_ns) /
         static_cast<int64_t>(received);
}

}  // namespace lockstep::analysis
