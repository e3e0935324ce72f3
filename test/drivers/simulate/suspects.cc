#include "test/drivers/simulate/suspects.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "lockstep/event.h"
#include "test/drivers/simulate/network.h"
#include "test/drivers/simulate/ways.h"

namespace lockstep::simulate {
namespace {

bool records(uint32_t events, Kind kind) {
  return (events >> static_cast<unsigned>(kind) & 1u) != 0;
}

// What a rank sends in one launch does not leave it. Operations inside a host leave no trace but their
// kernels, which stand still at both ends.
std::vector<int> of_transfers(const Fault& fault, const Layout& layout, const Program& program,
                              bool steps) {
  const Instruction& launch = program.instructions[fault.instruction];
  std::set<int> inside{fault.rank}, outside{fault.rank};
  for (uint32_t i = 0; i < launch.parts; ++i) {
    const Part& part = program.parts[launch.first_part + i];
    const auto& ranks = layout.communicators[part.communicator].ranks;
    const int peer = ranks[static_cast<size_t>(part.peer)];
    if (part.function != Function::Send) continue;
    (layout.host_of(peer) == layout.host_of(fault.rank) ? inside : outside).insert(peer);
  }
  if (outside.size() == 1) return {inside.begin(), inside.end()};
  // A sender of several is what these have in common.
  if (steps || outside.size() > 2) return {};
  return {outside.begin(), outside.end()};
}

std::vector<int> ranks_here(int rank, const Layout& layout, const std::vector<int>& ranks) {
  std::vector<int> here;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(here),
               [&](int other) { return layout.host_of(other) == layout.host_of(rank); });
  return here;
}

// Up a tree and down again, over ranks of the host that differ from channel to channel. Without steps what does not
// fit into buffers stands still everywhere.
std::vector<int> of_tree(const Fault& fault, const Layout& layout, const Part& part, bool steps) {
  const std::vector<int>& ranks = layout.communicators[part.communicator].ranks;
  return steps || part.bytes <= kSmallBytes ? ranks_here(fault.rank, layout, ranks) : ranks;
}

// Data goes round a ring. What leaves and enters each host tells which of them holds it back; without
// steps, where it has received everything. Half of its steps leave the rank, and each of the `ahead`
// ranks from there on to its own host sends one more than the one before.
std::vector<int> of_ring(const Fault& fault, const Layout& layout, const Part& part, bool steps) {
  const std::vector<int>& ranks = layout.communicators[part.communicator].ranks;
  const auto self = static_cast<size_t>(layout.rank_in(fault.rank, part.communicator));
  const bool leaves_host =
      layout.host_of(ranks[(self + 1) % ranks.size()]) != layout.host_of(fault.rank);
  if (leaves_host && steps && !layout.options.adapter_each) return {};
  const std::vector<int> here = ranks_here(fault.rank, layout, ranks);
  // One step to each neighbour ends whatever the neighbours do.
  if (part.bytes <= kSmallBytes) return leaves_host ? here : ranks;
  const size_t before =
      static_cast<size_t>(std::find(here.begin(), here.end(), fault.rank) - here.begin());
  const size_t ahead = ranks.size() - 1 - before;
  const size_t rounds = (ranks.size() - 1) * (part.function == Function::AllReduce ? 2 : 1);
  return steps || 2 * ahead >= rounds ? here : ranks;
}

bool records_gpus(uint32_t events) {
  return records(events, Kind::KernelCh) || records(events, Kind::ProxyOp);
}

}  // namespace

bool is_shown(const Fault& fault, uint32_t events) {
  return fault.info->harm != Harm::SlowCompute || records_gpus(events);
}

std::vector<int> suspects_of(const Fault& fault, const Layout& layout,
                             const std::vector<Program>& programs, uint32_t events) {
  const Harm harm = fault.info->harm;
  if (harm != Harm::GpuStops && harm != Harm::TransferStops) return {};
  std::vector<int> suspects;
  const Program& program = programs[static_cast<size_t>(fault.rank)];
  const Part& part = program.parts[program.instructions[fault.instruction].first_part];
  if (!records_gpus(events)) {
    // Calls alone: all have called all there is to call.
    for (int rank = 0; rank < layout.options.ranks; ++rank) suspects.push_back(rank);
  } else if (has_calls_only(part.function)) {
    suspects = layout.communicators[part.communicator].ranks;
  } else if (harm == Harm::TransferStops) {
    const bool steps = records(events, Kind::ProxyStep);
    suspects = is_p2p(part.function)        ? of_transfers(fault, layout, program, steps)
               : goes_by_tree(part, layout) ? of_tree(fault, layout, part, steps)
                                            : of_ring(fault, layout, part, steps);
  }
  std::sort(suspects.begin(), suspects.end());
  return suspects.size() > 1 ? suspects : std::vector<int>();
}

}  // namespace lockstep::simulate
