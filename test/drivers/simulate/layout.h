// Who is where: ranks on hosts, and the communicators of a job that is parallel in tensors, pipeline
// stages, data and experts. World ranks count tensor ranks fastest, then data ranks, then stages, as
// Megatron does. Plain data, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::simulate {

struct LayoutOptions {
  int ranks = 8, gpus_per_host = 8;
  int tensor = 1, stages = 1, experts = 1;  // ranks / (tensor * stages) are data ranks
  bool adapter_each = false;                // each GPU has an adapter, else each host
  uint64_t tree_bytes = 0;                  // all-reduces of at most so many go up and down trees
};

struct Communicator {
  uint64_t id = 0;
  const char* name = "";   // one of kCommunicatorNames
  std::vector<int> ranks;  // world ranks, by rank in it
  int nodes = 1;
  int per_node = 0;  // of its ranks, which follow each other; 0: not as many everywhere
};

enum class Axis : uint8_t { World, Tensor, Stage, Data, Expert };
constexpr unsigned kAxes = 5;
constexpr const char* kCommunicatorNames[kAxes] = {"world", "tp", "pp", "dp", "ep"};
constexpr uint32_t kNoCommunicator = ~uint32_t{0};

struct Member {
  uint32_t communicator = kNoCommunicator;
  int rank = 0;  // in it
};

struct Layout {
  LayoutOptions options;
  int data = 1, hosts = 1;
  std::vector<Communicator> communicators;
  std::vector<std::vector<Member>> members;  // [world rank][axis]

  int host_of(int rank) const { return rank / options.gpus_per_host; }
  // Of a communicator, which share an operation's bytes: more where a host has more ways out.
  unsigned channels() const { return options.adapter_each && options.gpus_per_host > 2 ? 4 : 2; }
  int stage_of(int rank) const { return rank / (options.tensor * data); }
  const Member& member(int rank, Axis axis) const {
    return members[static_cast<size_t>(rank)][static_cast<size_t>(axis)];
  }
  // The number of this communicator in a process of one of its ranks, as in event ids: from 1, in the
  // order of creation. 0 when the rank is no member.
  uint32_t number_in(int rank, uint32_t communicator) const;
  // Its rank in this communicator; -1 when it is no member.
  int rank_in(int rank, uint32_t communicator) const;
};

// The error says which numbers do not divide each other. Communicators of one rank are left out.
Result<Layout> make_layout(const LayoutOptions& options, uint64_t seed);

}  // namespace lockstep::simulate
