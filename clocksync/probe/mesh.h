// Who probes whom. Every host computes the same graph alone, from the sorted list of hosts and the
// job's name: no master, no messages. Up to degree + 1 hosts: everybody with everybody. More:
// degree / 2 random Hamiltonian cycles, so the graph is connected and every host carries the same
// load, plus anchors (the first hosts of each pod), which everybody in the pod probes slowly; they
// keep the guaranteed interval of far pairs narrow. Pure functions; called on the prober's thread
// when the list of hosts changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::clocksync {

struct MeshHost {
  uint32_t id = 0;
  std::string pod;
};

struct MeshOptions {
  uint64_t seed = 0;
  uint32_t degree = 8;
  uint32_t anchors_per_pod = 2;
};

struct Neighbour {
  uint32_t id = 0;
  // Probed once a second only, because an anchor has as many edges as its pod has hosts.
  bool slow = false;

  bool operator==(const Neighbour& other) const { return id == other.id && slow == other.slow; }
};

// The neighbours of one host, sorted by id. Symmetric: b is in neighbours(a) exactly when a is in
// neighbours(b).
std::vector<Neighbour> mesh_neighbours(std::vector<MeshHost> hosts, uint32_t self,
                                       const MeshOptions& options);

}  // namespace lockstep::clocksync
