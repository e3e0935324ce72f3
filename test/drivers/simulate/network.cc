#include "test/drivers/simulate/network.h"

#include <algorithm>

namespace lockstep::simulate {
namespace {

constexpr uint64_t kSliceBytes = 1 << 20, kPairStepBytes = 128 << 10, kChainStepBytes = 512 << 10;
constexpr uint32_t kRingCredits = 4, kPairCredits = 8;
constexpr size_t kMostCells = 600'000;  // of a ring: ranks times steps, as of 512 ranks

int64_t over(uint64_t bytes, double bytes_per_ns) {
  return static_cast<int64_t>(static_cast<double>(bytes) / bytes_per_ns);
}

int64_t last_begun(const Meeting& meeting) {
  int64_t last = 0;
  for (const MeetingMember& member : meeting.members) last = std::max(last, member.begun_ns);
  const bool stops = std::any_of(meeting.members.begin(), meeting.members.end(),
                                 [](const MeetingMember& member) { return member.stops; });
  return stops || meeting.mismatched ? kNever : last;
}

// Steps of at most `most_bytes` on each channel.
TransportShape chain_shape(const Part& part, uint64_t most_bytes, Transfer* transfer) {
  const uint64_t per_channel = std::max<uint64_t>(part.bytes / kChannels, 1);
  TransportShape shape;
  shape.steps = static_cast<uint32_t>((per_channel + most_bytes - 1) / most_bytes);
  shape.credits = kPairCredits;
  transfer->step_bytes = per_channel / shape.steps;
  return shape;
}

}  // namespace

double Network::bytes_per_ns(int from, int to, int step) const {
  const double usual =
      crosses(from, to) ? machine_.between_bytes_per_ns : machine_.inside_bytes_per_ns;
  return usual / (crosses(from, to) ? faults_.link_factor(from, to, step) : 1);
}

int64_t Network::copy_ns(uint64_t bytes) const {
  return machine_.kernel_ns + over(bytes, machine_.inside_bytes_per_ns);
}

TransportEdge Network::edge(const Meeting& meeting, int from, int to, uint64_t bytes,
                            double noise) const {
  TransportEdge made;
  made.latency_ns = latency_ns(from, to);
  made.wire_ns = over(bytes, bytes_per_ns(from, to, meeting.step) / noise);
  if (!crosses(from, to)) return made;
  const auto excess = [&](int rank) {
    return static_cast<int64_t>((faults_.proxy_factor(rank, meeting.step) - 1) *
                                static_cast<double>(made.wire_ns));
  };
  made.sender_ns = excess(from);
  made.receiver_ns = excess(to);
  return made;
}

std::vector<TransportMember> Network::members(const Meeting& meeting, uint64_t bytes) const {
  std::vector<TransportMember> made;
  for (const MeetingMember& member : meeting.members) {
    const double slow = member.rank < 0 ? 1 : faults_.gpu_factor(member.rank, meeting.step);
    // A GPU is faster than what it feeds, unless it is slow.
    const double rate =
        slow > 1 ? machine_.between_bytes_per_ns / slow : 2 * machine_.inside_bytes_per_ns;
    made.push_back({happens(member.called_ns) ? member.called_ns + kPostNs : kNever,
                    member.begun_ns, over(bytes, rate), member.stops || meeting.mismatched});
  }
  return made;
}

// From when every member has begun. Every byte crosses every edge once (all-gather,
// reduce-scatter) or twice (all-reduce), less the share of one rank; what is small goes up and down
// a tree.
int64_t Network::ring_ns(const Meeting& meeting, const std::vector<int>& ranks,
                         double noise) const {
  const size_t count = ranks.size();
  int64_t once_round_ns = 0, edge_ns = 0;
  double slowest = machine_.inside_bytes_per_ns;
  for (size_t i = 0; i < count; ++i) {
    const int from = ranks[i], to = ranks[(i + 1) % count];
    const double proxies = crosses(from, to) ? faults_.proxy_factor(from, meeting.step) : 1;
    once_round_ns += latency_ns(from, to);
    edge_ns = std::max(edge_ns, latency_ns(from, to));
    slowest = std::min(slowest, bytes_per_ns(from, to, meeting.step) / proxies /
                                    faults_.gpu_factor(from, meeting.step));
  }
  const int rounds = meeting.part.function == Function::AllReduce ? 2 : 1;
  int levels = 0;
  while (size_t{1} << levels < count) ++levels;
  if (meeting.part.bytes <= kSmallBytes) once_round_ns = std::min(once_round_ns, levels * edge_ns);
  const double share = static_cast<double>(count - 1) / static_cast<double>(count);
  const double moved = static_cast<double>(meeting.part.bytes) / slowest;
  return machine_.kernel_ns +
         static_cast<int64_t>(rounds * share * (moved + static_cast<double>(once_round_ns)) *
                              noise);
}

TransportShape Network::ring_shape(const Part& part, size_t ranks, Transfer* transfer) const {
  const auto rounds =
      static_cast<uint32_t>((ranks - 1) * (part.function == Function::AllReduce ? 2 : 1));
  const uint64_t chunk = std::max<uint64_t>(part.bytes / kChannels / ranks, 1);
  uint32_t slices = chunk > kSliceBytes / 8 ? 2 : 1;
  uint32_t loops = static_cast<uint32_t>((chunk + 2 * kSliceBytes - 1) / (2 * kSliceBytes));
  if (!every_step_) loops = 1;
  if (!every_step_ && ranks > 8) slices = 1;
  TransportShape shape;
  shape.steps = rounds * loops * slices;
  shape.behind = slices;
  shape.steps_of_loop = rounds * slices;
  shape.credits = kRingCredits;
  transfer->step_bytes = std::max<uint64_t>(chunk / loops / slices, 1);
  return shape;
}

void Network::play_by_formula(const Meeting& meeting, const std::vector<int>& ranks, double noise,
                              std::vector<int64_t>* ends_ns) const {
  const int64_t begun_ns = last_begun(meeting);
  ends_ns->assign(ranks.size(), kNever);
  if (!happens(begun_ns)) return;
  const uint32_t communicator = meeting.part.communicator;
  const int64_t end_ns = begun_ns + ring_ns(meeting, ranks, noise);
  for (size_t i = 0; i < ranks.size(); ++i)
    (*ends_ns)[i] = end_ns + noise_.end_delay_ns(ranks[i], communicator, meeting.ordinal);
}

// From each rank to the next, and which of them cross hosts.
std::vector<TransportEdge> Network::ring_edges(const Meeting& meeting,
                                               const std::vector<int>& ranks, double noise,
                                               Transfer* transfer) const {
  std::vector<TransportEdge> edges;
  transfer->over_network.clear();
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int from = ranks[i], to = ranks[(i + 1) % ranks.size()];
    edges.push_back(edge(meeting, from, to, transfer->bytes(), noise));
    transfer->over_network.push_back(crosses(from, to) ? 1 : 0);
  }
  return edges;
}

void Network::play_collective(const Meeting& meeting, Transfer* transfer) const {
  const Communicator& communicator = layout_.communicators[meeting.part.communicator];
  const std::vector<int>& ranks = communicator.ranks;
  const size_t count = ranks.size();
  const double noise = noise_.transfer_factor(meeting.part.communicator, meeting.ordinal);
  if (communicator.nodes == 1) {
    transfer->times.steps = 0;
    play_by_formula(meeting, ranks, noise, &transfer->times.ends_ns);
    return;
  }
  TransportShape shape = ring_shape(meeting.part, count, transfer);
  const bool in_steps =
      meeting.part.bytes > kSmallBytes && (every_step_ || shape.steps * count <= kMostCells);
  if (!in_steps)
    shape = TransportShape();  // one step to each neighbour, and the end by the formula
  std::vector<TransportEdge> edges = ring_edges(meeting, ranks, noise, transfer);
  const uint64_t unlucky = meeting.ordinal % count;
  if (transfer->over_network[unlucky] != 0) {
    edges[unlucky].loss_ns = noise_.transfer_delay_ns(meeting.part.communicator, meeting.ordinal);
    edges[unlucky].lost_step = shape.steps / 2;
  }
  play_ring(members(meeting, transfer->bytes()), edges, shape, &transfer->times);
  if (in_steps) return;
  play_by_formula(meeting, ranks, noise, &transfer->times.ends_ns);
}

// A chain over the ring's edges: to the root, which is last, or from it.
void Network::play_rooted(const Meeting& meeting, Transfer* transfer) const {
  const Communicator& communicator = layout_.communicators[meeting.part.communicator];
  const std::vector<int>& ranks = communicator.ranks;
  const size_t count = ranks.size();
  const auto root = static_cast<size_t>(meeting.part.peer);
  const size_t first = meeting.part.function == Function::Reduce ? (root + 1) % count : root;
  const double noise = noise_.transfer_factor(meeting.part.communicator, meeting.ordinal);
  const TransportShape shape = chain_shape(meeting.part, kChainStepBytes, transfer);
  const std::vector<TransportEdge> edges = ring_edges(meeting, ranks, noise, transfer);
  transfer->over_network[(first + count - 1) % count] = 0;  // the chain ends there
  play_chain(members(meeting, transfer->bytes()), edges, first, shape, &transfer->times);
}

void Network::play_pair(const Meeting& meeting, Transfer* transfer) const {
  // A member that has not called is known by what its peer has called.
  const auto& ranks = layout_.communicators[meeting.part.communicator].ranks;
  const bool send = meeting.part.function == Function::Send;
  const int peer = ranks[static_cast<size_t>(meeting.part.peer)];
  const MeetingMember &first = meeting.members[0], &second = meeting.members[1];
  const int from = first.rank >= 0 ? first.rank : send ? second.rank : peer;
  const int to = second.rank >= 0 ? second.rank : send ? peer : first.rank;
  const auto pair = static_cast<uint64_t>(from) << 32 | static_cast<uint32_t>(to);
  const double noise =
      noise_.transfer_factor(meeting.part.communicator, pair ^ meeting.ordinal << 16);
  if (!crosses(from, to)) {
    const double rate = machine_.inside_bytes_per_ns / faults_.gpu_factor(from, meeting.step);
    const int64_t begun_ns = last_begun(meeting);
    const int64_t end_ns = happens(begun_ns) ? begun_ns + machine_.kernel_ns + machine_.inside_ns +
                                                   over(meeting.part.bytes, rate / noise)
                                             : kNever;
    transfer->times.steps = 0;
    const int64_t eager_ns = first.begun_ns + copy_ns(meeting.part.bytes);
    const bool alone = is_eager(meeting.part) && !first.stops;
    transfer->times.ends_ns = {alone ? eager_ns : end_ns, end_ns};
    return;
  }
  const TransportShape shape = chain_shape(meeting.part, kPairStepBytes, transfer);
  transfer->over_network = {1};
  TransportEdge wire = edge(meeting, from, to, transfer->bytes(), noise);
  wire.loss_ns = noise_.transfer_delay_ns(meeting.part.communicator, pair ^ meeting.ordinal << 16);
  wire.lost_step = shape.steps / 2;
  play_transfer(members(meeting, transfer->bytes()), wire, shape, &transfer->times);
}

void Network::play(const Meeting& meeting, Transfer* transfer) const {
  if (is_p2p(meeting.part.function)) {
    play_pair(meeting, transfer);
  } else if (is_rooted(meeting.part.function)) {
    play_rooted(meeting, transfer);
  } else {
    play_collective(meeting, transfer);
  }
}

}  // namespace lockstep::simulate
