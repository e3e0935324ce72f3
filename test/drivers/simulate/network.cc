#include "test/drivers/simulate/network.h"

#include <algorithm>

namespace lockstep::simulate {

Network::Edge Network::edge(int from, int to, int step) const {
  const bool over_network = layout_.host_of(from) != layout_.host_of(to);
  const double slow = faults_.transfer_factor(from, to, over_network, step);
  const double bytes_per_ns =
      over_network ? machine_.between_bytes_per_ns : machine_.inside_bytes_per_ns;
  return {over_network ? machine_.between_ns : machine_.inside_ns, bytes_per_ns / slow};
}

int64_t Network::copy_ns(uint64_t bytes) const {
  return machine_.kernel_ns +
         static_cast<int64_t>(static_cast<double>(bytes) / machine_.inside_bytes_per_ns);
}

int64_t Network::ring_ns(const Part& part, uint64_t ordinal, int step) const {
  const auto& ranks = layout_.communicators[part.communicator].ranks;
  const size_t count = ranks.size();
  int64_t once_round_ns = 0;
  double bytes_per_ns = machine_.inside_bytes_per_ns;
  for (size_t i = 0; i < count; ++i) {
    const Edge at = edge(ranks[i], ranks[(i + 1) % count], step);
    once_round_ns += at.latency_ns;
    bytes_per_ns = std::min(bytes_per_ns, at.bytes_per_ns);
  }
  const int rounds = part.function == Function::AllReduce ? 2 : 1;
  const double share = static_cast<double>(count - 1) / static_cast<double>(count);
  const double moved = static_cast<double>(part.bytes) / bytes_per_ns;
  const double ns = rounds * share * (moved + static_cast<double>(once_round_ns));
  return machine_.kernel_ns +
         static_cast<int64_t>(ns * noise_.transfer_factor(part.communicator, ordinal));
}

int64_t Network::transfer_ns(const Part& part, int from, int to, uint64_t ordinal, int step) const {
  const Edge at = edge(from, to, step);
  const double moved = static_cast<double>(part.bytes) / at.bytes_per_ns;
  const auto pair = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
  const double noise = noise_.transfer_factor(part.communicator, pair ^ ordinal << 16);
  return machine_.kernel_ns + at.latency_ns + static_cast<int64_t>(moved * noise);
}

}  // namespace lockstep::simulate
