// What the collectives themselves prove about the clocks: nobody has the result of an all-reduce
// before the last rank has started it. Each such happens-before is the same one-sided observation
// that a probe packet is (sent at `start` on one clock, received at `end` on another), at no
// traffic, and with a round trip as long as the collective. Used to check an alignment, and as the
// only source of bounds where probing is blocked; where between them an offset lies tell the ends
// (coinciding_ends.h). Plain numbers in, offline, one thread; knows nothing of segments or NCCL.
//
//   all-reduce, all-gather, reduce-scatter, all-to-all   T(end_j) >= T(start_i) for all i, j
//   broadcast, scatter, send/receive                     T(end_j) >= T(start_root)
//   reduce, gather                                       T(end_root) >= T(start_i)
// The idea, for messages: Duda et al. (1987). For collectives it follows from what their results
// need.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "clocksync/solve/coinciding_ends.h"
#include "clocksync/solve/edge_solver.h"

namespace lockstep::clocksync {

enum class DataFlow : uint8_t { AllToAll, FromRoot, ToRoot };

// One rank in one collective. start_ns must not be later than the first moment at which this rank's
// data could leave it, end_ns not earlier than the last moment at which it still lacked something;
// both on the raw clock of its host. kUnknownTime: not known.
inline constexpr int64_t kUnknownTime = INT64_MIN;
struct Participant {
  uint32_t host = 0;
  int64_t start_ns = kUnknownTime;
  int64_t end_ns = kUnknownTime;
  bool is_root = false;
};

// `start_ns` on the clock of `from` happened before `end_ns` on the clock of `to`.
struct HappensBefore {
  uint32_t from = 0, to = 0;
  int64_t start_ns = 0, end_ns = 0;
  // When the operation was over on `from`, on its clock, if that is known; does it wait for `to` as `to` waits for it?
  int64_t from_end_ns = kUnknownTime;
  bool mutual = false;
};

// The tightest consequence for pairs of different hosts: the latest start against the earliest end.
// All ordered pairs up to kAllPairsHosts hosts, else each host with its nearest neighbours in
// number: the graph of hosts then carries the rest.
inline constexpr size_t kAllPairsHosts = 9;
inline constexpr size_t kNeighbours = 4;
std::vector<HappensBefore> happens_before(DataFlow flow, const std::vector<Participant>& ranks);

// Collects observations and thins them per pair, direction and 0.1 s, as the prober does.
class CollectiveBounds {
 public:
  void add(const HappensBefore& observation);

  // Offsets are clock of second - clock of first.
  struct Learned {
    EdgeBounds bounds;
    CoincidingEnds ends;
  };
  using HostPair = std::pair<uint32_t, uint32_t>;  // first < second
  std::map<HostPair, Learned> take();

 private:
  using Bins = std::map<int64_t, std::vector<HullPoint>>;
  std::map<HostPair, Bins> directed_;  // (from, to) -> by bin of the start
  std::map<HostPair, CoincidingEnds> ends_;
};

}  // namespace lockstep::clocksync
