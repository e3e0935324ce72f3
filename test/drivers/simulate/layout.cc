#include "test/drivers/simulate/layout.h"

#include <map>

#include "test/drivers/simulate/random.h"

namespace lockstep::simulate {
namespace {

class Maker {
 public:
  Maker(Layout* layout, uint64_t seed) : layout_(*layout), random_(seed) {}

  // Ranks first, first + stride, ... of which `count` make one communicator.
  void add(Axis axis, int first, int stride, int count) {
    if (count < 2) return;
    Communicator made;
    const uint32_t number = static_cast<uint32_t>(layout_.communicators.size());
    made.id = random_.bits(Draw::Choice, number, 0xc0) | 1;
    made.name = kCommunicatorNames[static_cast<size_t>(axis)];
    std::map<int, int> hosts;
    for (int i = 0; i < count; ++i) {
      const int rank = first + i * stride;
      made.ranks.push_back(rank);
      ++hosts[layout_.host_of(rank)];
      layout_.members[static_cast<size_t>(rank)][static_cast<size_t>(axis)] = {number, i};
    }
    made.nodes = static_cast<int>(hosts.size());
    made.per_node = hosts.begin()->second;
    for (const auto& [host, here] : hosts) {
      if (here != hosts.begin()->second) made.per_node = 0;
    }
    layout_.communicators.push_back(std::move(made));
  }

 private:
  Layout& layout_;
  Random random_;
};

}  // namespace

uint32_t Layout::number_in(int rank, uint32_t communicator) const {
  uint32_t number = 0;
  for (const Member& member : members[static_cast<size_t>(rank)]) {
    if (member.communicator == kNoCommunicator) continue;
    ++number;
    if (member.communicator == communicator) return number;
  }
  return 0;
}

int Layout::rank_in(int rank, uint32_t communicator) const {
  for (const Member& member : members[static_cast<size_t>(rank)]) {
    if (member.communicator == communicator) return member.rank;
  }
  return -1;
}

Result<Layout> make_layout(const LayoutOptions& options, uint64_t seed) {
  const int64_t model = int64_t{options.tensor} * options.stages;
  if (options.ranks % model != 0) {
    return Status::error("--ranks " + std::to_string(options.ranks) + " is no multiple of --tp " +
                         std::to_string(options.tensor) + " times --pp " +
                         std::to_string(options.stages));
  }
  Layout layout;
  layout.options = options;
  layout.data = static_cast<int>(options.ranks / model);
  if (layout.data % options.experts != 0) {
    return Status::error("--ep " + std::to_string(options.experts) + " does not divide the " +
                         std::to_string(layout.data) + " data ranks");
  }
  layout.hosts = (options.ranks + options.gpus_per_host - 1) / options.gpus_per_host;
  layout.members.assign(static_cast<size_t>(options.ranks), std::vector<Member>(kAxes));
  const int tensor = options.tensor, data = layout.data;
  Maker maker(&layout, seed);
  maker.add(Axis::World, 0, 1, options.ranks);
  for (int first = 0; first < options.ranks; first += tensor)
    maker.add(Axis::Tensor, first, 1, tensor);
  for (int first = 0; first < tensor * data; ++first)
    maker.add(Axis::Stage, first, tensor * data, options.stages);
  for (int stage = 0; stage < options.stages; ++stage) {
    for (int t = 0; t < tensor; ++t) {
      const int first = stage * tensor * data + t;
      maker.add(Axis::Data, first, tensor, data);
      for (int d = 0; d < data && options.experts > 1; d += options.experts)
        maker.add(Axis::Expert, first + d * tensor, tensor, options.experts);
    }
  }
  return layout;
}

}  // namespace lockstep::simulate
