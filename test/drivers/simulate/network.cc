#include "test/drivers/simulate/network.h"

#include <algorithm>
#include <numeric>

namespace lockstep::simulate {
namespace {

constexpr uint64_t kSliceBytes = 1 << 20, kPairStepBytes = 128 << 10, kChainStepBytes = 512 << 10,
                   kTreeStepBytes = 256 << 10;
constexpr uint32_t kRingCredits = 4, kPairCredits = 8;
constexpr uint32_t kTreeSteps = 16;     // that the times need at most
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

// When the last of its channels' data is there.
void take_ends(const Way& way, const Flow& flow, std::vector<int64_t>* ends_ns) {
  for (size_t i = 0; i < ends_ns->size(); ++i) {
    int64_t& end_ns = (*ends_ns)[way.tree ? i : way.order[i]];
    end_ns = std::max(end_ns, flow.times.ends_ns[i]);
  }
}

std::vector<TransportMember> in_order(const std::vector<TransportMember>& members,
                                      const std::vector<size_t>& order) {
  std::vector<TransportMember> ordered;
  for (size_t member : order) ordered.push_back(members[member]);
  return ordered;
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

// Steps of at most `most_bytes` on each channel.
TransportShape Network::chain_shape(const Part& part, uint64_t most_bytes, Flow* flow) const {
  const uint64_t per_channel = std::max<uint64_t>(part.bytes / layout_.channels(), 1);
  TransportShape shape;
  shape.steps = static_cast<uint32_t>((per_channel + most_bytes - 1) / most_bytes);
  shape.credits = kPairCredits;
  flow->step_bytes = per_channel / shape.steps;
  return shape;
}

// Each way, as many steps.
TransportShape Network::tree_shape(const Part& part, Flow* flow) const {
  TransportShape shape = chain_shape(part, kTreeStepBytes, flow);
  shape.credits = kRingCredits;
  if (every_step_ || shape.steps <= kTreeSteps) return shape;
  shape.steps = kTreeSteps;
  flow->step_bytes = part.bytes / layout_.channels() / kTreeSteps;
  return shape;
}

std::vector<TransportMember> Network::members(const Meeting& meeting, uint64_t step_bytes) const {
  const uint64_t bytes = step_bytes * layout_.channels();
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
int64_t Network::ring_ns(const Meeting& meeting, const Way& way, double noise) const {
  const std::vector<int>& ranks = layout_.communicators[meeting.part.communicator].ranks;
  const size_t count = ranks.size();
  int64_t once_round_ns = 0, edge_ns = 0;
  double slowest = machine_.inside_bytes_per_ns;
  for (size_t i = 0; i < count; ++i) {
    const int from = ranks[way.order[i]], to = ranks[way.order[(i + 1) % count]];
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

TransportShape Network::ring_shape(const Part& part, size_t ranks, Flow* flow) const {
  const auto rounds =
      static_cast<uint32_t>((ranks - 1) * (part.function == Function::AllReduce ? 2 : 1));
  const uint64_t chunk = std::max<uint64_t>(part.bytes / layout_.channels() / ranks, 1);
  uint32_t slices = chunk > kSliceBytes / 8 ? 2 : 1;
  uint32_t loops = static_cast<uint32_t>((chunk + 2 * kSliceBytes - 1) / (2 * kSliceBytes));
  if (!every_step_) loops = 1;
  if (!every_step_ && ranks > 8) slices = 1;
  TransportShape shape;
  shape.steps = rounds * loops * slices;
  shape.behind = slices;
  shape.steps_of_loop = rounds * slices;
  shape.credits = kRingCredits;
  flow->step_bytes = std::max<uint64_t>(chunk / loops / slices, 1);
  return shape;
}

void Network::play_by_formula(const Meeting& meeting, const std::vector<Way>& ways, double noise,
                              std::vector<int64_t>* ends_ns) const {
  const std::vector<int>& ranks = layout_.communicators[meeting.part.communicator].ranks;
  const int64_t begun_ns = last_begun(meeting);
  ends_ns->assign(ranks.size(), kNever);
  if (!happens(begun_ns)) return;
  int64_t end_ns = 0;
  for (const Way& way : ways) end_ns = std::max(end_ns, begun_ns + ring_ns(meeting, way, noise));
  for (size_t i = 0; i < ranks.size(); ++i) {
    (*ends_ns)[i] =
        end_ns + noise_.end_delay_ns(ranks[i], meeting.part.communicator, meeting.ordinal);
  }
}

// Of a way's hops, and which of them cross hosts.
std::vector<TransportEdge> Network::edges(const Meeting& meeting, const Way& way, double noise,
                                          Flow* flow) const {
  const std::vector<int>& ranks = layout_.communicators[meeting.part.communicator].ranks;
  // Where a ring has one edge out of a host, it has three of one tree and one of the other: two on average.
  const uint64_t bytes = flow->step_bytes * way.sharing * (way.tree ? 2 : 1);
  std::vector<TransportEdge> edges;
  flow->channels = way.channels;
  flow->hops = hops_of(way);
  flow->over_network.clear();
  for (const Hop& hop : flow->hops) {
    const bool leads = hop.from != kNowhere && hop.to != kNowhere;
    const int from = leads ? ranks[hop.from] : 0, to = leads ? ranks[hop.to] : 0;
    edges.push_back(edge(meeting, from, to, bytes, noise));
    flow->over_network.push_back(crosses(from, to) ? 1 : 0);
  }
  return edges;
}

// False: only one step to each neighbour is played, and the ends are the formula's.
bool Network::play_way(const Meeting& meeting, const Way& way, double noise, bool unlucky,
                       Flow* flow) const {
  const size_t count = meeting.members.size();
  TransportShape shape =
      way.tree ? tree_shape(meeting.part, flow) : ring_shape(meeting.part, count, flow);
  const bool in_steps = way.tree || (meeting.part.bytes > kSmallBytes &&
                                     (every_step_ || shape.steps * count <= kMostCells));
  if (!in_steps) shape = TransportShape();
  std::vector<TransportEdge> edges = this->edges(meeting, way, noise, flow);
  const size_t lost = meeting.ordinal % edges.size();
  if (unlucky && flow->over_network[lost] != 0) {
    edges[lost].loss_ns = noise_.transfer_delay_ns(meeting.part.communicator, meeting.ordinal);
    edges[lost].lost_step = shape.steps / 2;
  }
  const std::vector<TransportMember> members = this->members(meeting, flow->step_bytes);
  if (way.tree) {
    play_tree(members, edges, way.parents, shape, &flow->times);
  } else {
    play_ring(in_order(members, way.order), edges, shape, &flow->times);
  }
  return in_steps;
}

void Network::play_collective(const Meeting& meeting, Transfer* transfer) const {
  const double noise = noise_.transfer_factor(meeting.part.communicator, meeting.ordinal);
  const std::vector<Way> ways = ways_of(meeting.part, layout_);
  transfer->over_network = layout_.communicators[meeting.part.communicator].nodes > 1;
  if (!transfer->over_network) return play_by_formula(meeting, ways, noise, &transfer->ends_ns);
  bool in_steps = true;
  transfer->flows.resize(ways.size());
  transfer->ends_ns.assign(meeting.members.size(), 0);
  for (size_t i = 0; i < ways.size(); ++i) {
    const bool unlucky = meeting.ordinal % ways.size() == i;
    in_steps = play_way(meeting, ways[i], noise, unlucky, &transfer->flows[i]);
    take_ends(ways[i], transfer->flows[i], &transfer->ends_ns);
  }
  if (!in_steps) play_by_formula(meeting, ways, noise, &transfer->ends_ns);
}

// A chain over the ring's edges: to the root, which is last, or from it.
void Network::play_rooted(const Meeting& meeting, Transfer* transfer) const {
  const size_t count = meeting.members.size();
  const double noise = noise_.transfer_factor(meeting.part.communicator, meeting.ordinal);
  const std::vector<Way> ways = ways_of(meeting.part, layout_);
  transfer->over_network = true;
  transfer->flows.resize(ways.size());
  transfer->ends_ns.assign(count, 0);
  for (size_t i = 0; i < ways.size(); ++i) {
    const Way& way = ways[i];
    Flow& flow = transfer->flows[i];
    const auto at =
        std::find(way.order.begin(), way.order.end(), static_cast<size_t>(meeting.part.peer));
    const auto root = static_cast<size_t>(at - way.order.begin());
    const size_t first = meeting.part.function == Function::Reduce ? (root + 1) % count : root;
    const TransportShape shape = chain_shape(meeting.part, kChainStepBytes, &flow);
    const std::vector<TransportEdge> edges = this->edges(meeting, way, noise, &flow);
    flow.over_network[(first + count - 1) % count] = 0;  // the chain ends there
    play_chain(in_order(members(meeting, flow.step_bytes), way.order), edges, first, shape,
               &flow.times);
    take_ends(way, flow, &transfer->ends_ns);
  }
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
    transfer->over_network = false;
    const int64_t eager_ns = first.begun_ns + copy_ns(meeting.part.bytes);
    const bool alone = is_eager(meeting.part) && !first.stops;
    transfer->ends_ns = {alone ? eager_ns : end_ns, end_ns};
    return;
  }
  transfer->over_network = true;
  transfer->flows.resize(1);
  Flow& flow = transfer->flows[0];
  const TransportShape shape = chain_shape(meeting.part, kPairStepBytes, &flow);
  flow.hops = {{0, 1}};
  flow.over_network = {1};
  flow.channels.resize(layout_.channels());
  std::iota(flow.channels.begin(), flow.channels.end(), 0u);
  TransportEdge wire = edge(meeting, from, to, flow.step_bytes * flow.channels.size(), noise);
  wire.loss_ns = noise_.transfer_delay_ns(meeting.part.communicator, pair ^ meeting.ordinal << 16);
  wire.lost_step = shape.steps / 2;
  play_transfer(members(meeting, flow.step_bytes), wire, shape, &flow.times);
  transfer->ends_ns = flow.times.ends_ns;
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
