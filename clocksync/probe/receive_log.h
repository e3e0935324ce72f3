// What this host remembers of the packets it received from one peer, and the inequalities they
// become: each packet needs its send stamp, which a later packet brings; after a while the
// application stamp that came with the packet is used instead (a valid, wider bound). Points are
// collected per 0.1 s of receive time and thinned to their convex hull when they are taken. Owned
// by the prober's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/probe/send_log.h"
#include "clocksync/wire/packet.h"

namespace lockstep::clocksync {

struct ReceiveTotals {
  uint64_t received = 0, lost = 0, duplicated = 0;
  uint64_t train_pairs = 0, pure_pairs = 0;

  double purity() const {
    return train_pairs == 0 ? 1.0
                            : static_cast<double>(pure_pairs) / static_cast<double>(train_pairs);
  }
};

class ReceiveLog {
 public:
  ReceiveLog(size_t capacity, int64_t report_patience_ns)
      : ring_(capacity), report_patience_ns_(report_patience_ns) {}

  void received(const Packet& packet, const RawStamp& stamp, StampKind kind);
  void duplicate(const RawStamp& stamp);
  // The peer's word on when its packet left.
  void send_stamp(uint64_t sequence, const RawStamp& stamp, StampKind kind);
  // Gives up waiting for send stamps that are overdue: they come with the next train, or the one
  // after it.
  void expire(int64_t now_raw_ns);

  // The bins with news since the last call, points thinned; `peer` and `t` filled in.
  std::vector<HullBin> take_bins(const std::string& peer, int64_t now_raw_ns);
  // The fastest packet completed since the last call: what the peer should hear about.
  StampReport take_fastest();

  const ReceiveTotals& totals() const { return totals_; }
  uint64_t points() const { return points_; }
  uint32_t highest_sequence() const { return static_cast<uint32_t>(highest_); }

 private:
  struct Reception {
    uint64_t sequence = 0;
    RawStamp stamp;
    StampKind kind = StampKind::None;
    int64_t application_tx_raw_ns = 0;
    uint32_t train = 0;
    uint8_t train_index = 0;
    int path = 0;
    bool open = false;  // still without its send stamp
  };
  struct Completed {
    uint32_t train = 0;
    uint8_t train_index = 0;
    int64_t delta_ns = 0;
    StampKind kind = StampKind::None;
  };

  void complete(Reception* reception, const RawStamp& tx, StampKind tx_kind);
  void judge_spacing(const Reception& reception, const HullPoint& point, HullBin* bin);
  HullBin& bin_at(int64_t raw_ns, int path);

  std::vector<Reception> ring_;
  int64_t report_patience_ns_;
  std::map<std::pair<int64_t, int>, HullBin> bins_;
  std::map<std::pair<int64_t, int>, std::pair<uint64_t, uint64_t>> bin_pairs_;  // all, pure
  uint64_t highest_ = 0, first_ = 0, oldest_open_ = 1;
  uint64_t lost_told_ = 0, points_ = 0;
  std::optional<Completed> last_completed_;
  StampReport fastest_;
  int64_t fastest_delta_ns_ = 0;
  ReceiveTotals totals_;
};

}  // namespace lockstep::clocksync
