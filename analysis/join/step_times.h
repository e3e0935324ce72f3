// Where the time of one network step went: each state lasts until the next one or the stop. Shared
// by the join of operations (sums) and by the streamed proxy_steps table (rows). No lookup, no
// allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

enum class Stretch : uint8_t { Posting, GpuWait, PeerWait, Network, ReceiveWait, Flush };
constexpr unsigned kStretches = 6;
using Stretches = std::array<int64_t, kStretches>;

constexpr Stretch stretch_of(uint8_t state) {
  switch (state) {
    case kSendGpuWait:
    case kRecvGpuWait:
      return Stretch::GpuWait;
    case kSendPeerWait:
      return Stretch::PeerWait;
    case kSendWait:
      return Stretch::Network;
    case kRecvWait:
      return Stretch::ReceiveWait;
    case kRecvFlushWait:
      return Stretch::Flush;
    default:
      return Stretch::Posting;
  }
}

struct StepTimes {
  int64_t since_ns = kNoTime;
  Stretches spent{};
  uint8_t seen = 0;  // bit per Stretch
  uint8_t state = kNoState;
  uint32_t retries = 0;
  uint64_t size_bytes = 0;
  int64_t network_done_ns =
      kNoTime;  // the proxy thread saw that data had come, or that it had been sent

  void start(int64_t now_ns) { since_ns = now_ns; }
  void enter(uint8_t next, uint64_t argument, int64_t now_ns) {
    if (next == state) {  // SendPeerWait at poll rate
      ++retries;
      return;
    }
    leave(now_ns);
    state = next;
    if ((next == kSendWait || next == kRecvFlushWait) && argument != kNoArgument)
      size_bytes = argument;
  }
  void leave(int64_t now_ns) {
    const auto index = static_cast<unsigned>(stretch_of(state));
    if (since_ns != kNoTime) spent[index] += std::max<int64_t>(0, now_ns - since_ns);
    seen = static_cast<uint8_t>(seen | 1u << index);
    if (state == kSendWait || state == kRecvWait) network_done_ns = now_ns;
    since_ns = now_ns;
  }
};

}  // namespace lockstep::analysis
