// The running report on one peer: what its packets say now about the offset of the peer's clock to
// ours. It sees the packets that came in, and the few of ours whose reception the peer reported
// back, so one host alone can give an interval. For people and for choosing the rate; the offline
// solver uses the hull records instead. Owned by the prober's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "clocksync/probe/receive_log.h"
#include "clocksync/solve/taylor_hull.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// Upper and lower as in docs/clock.md with a = this host, b = the peer.
class PeerWindow {
 public:
  PeerWindow(int64_t length_ns, const TaylorLimits& limits)
      : length_ns_(length_ns), limits_(limits) {}

  void add_incoming(const HullPoint& point);
  // One of our packets: when it left (our clock) and when the peer says it came (the peer's).
  void add_outgoing(const RawStamp& sent, const RawStamp& received, StampKind kind);
  void forget_before(int64_t raw_ns);
  void clear();

  struct Estimate {
    OffsetInterval centre;
    double alpha = 1;
    int64_t min_rtt_ns = 0;
    StampKind kind = StampKind::None;
    uint64_t pairs = 0;
  };
  // Over the window that ends now. Nothing: a direction has no packets, or they contradict each
  // other.
  std::optional<Estimate> estimate(int64_t end_raw_ns) const;

 private:
  struct Bound {
    OffsetBound offset;
    StampKind kind;
  };

  static std::vector<OffsetBound> sorted(const std::deque<Bound>& bounds);
  StampKind usual_kind() const;

  const int64_t length_ns_;
  const TaylorLimits limits_;
  std::deque<Bound> upper_, lower_;
};

}  // namespace lockstep::clocksync
