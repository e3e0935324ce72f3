// The GPU's clock against the host's, from what every kernel event says anyway: the proxy thread
// sees a stamp only after it was made, so host minus GPU is at most (seen - stamp). The least such
// difference of a stretch of time is the estimate; it errs by the shortest time the proxy ever
// needed to look (some microseconds), always late. Stamps that would put a kernel before its launch
// show that they belong to other work (NCCL's counters can slip) and are refused. One per process,
// filled while joining, read at the end.
#pragma once

#include <cstdint>
#include <map>

namespace lockstep::analysis {

class GpuClock {
 public:
  // The host saw at `seen_ns` that the GPU had written `stamp_ns`.
  void note(int64_t seen_ns, uint64_t stamp_ns);
  // The host time of a stamp that was seen at about `seen_ns`; kNoTime when nothing is known.
  int64_t to_host(uint64_t stamp_ns, int64_t seen_ns) const;

 private:
  // GPU and host clocks drift by up to 100 ppm: 50 us in a bin and its neighbours.
  static constexpr int64_t kBinNs = 250'000'000;
  std::map<int64_t, int64_t> least_;  // bin of seen_ns -> least (seen - stamp)
};

}  // namespace lockstep::analysis
