// What happened with one peer during the running report window: remembers the totals at its start
// and closes it into the record that people read. Owned by a Peer; pure arithmetic on what it is
// told.
#pragma once

#include <cstdint>
#include <optional>

#include "clocksync/probe/peer_window.h"
#include "clocksync/probe/probe_counters.h"
#include "clocksync/probe/receive_log.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// Totals since the prober started (of receptions: since the session began).
struct PeerTotals {
  ReceiveTotals receptions;
  uint64_t sent = 0;
  ProbeCounters rejected;
};

class WindowAccount {
 public:
  explicit WindowAccount(int64_t start_raw_ns) : start_raw_ns_(start_raw_ns) {}

  int64_t age_ns(int64_t raw_ns) const { return raw_ns - start_raw_ns_; }
  // No window was closed yet: the peer is young.
  bool first() const { return id_ == 0; }
  // A new session counts its receptions from zero.
  void session_began() { before_.receptions = {}; }

  // Ends the window at raw_ns and begins the next. `slowed`: the load guard held probing back. The
  // record's peer is left to the caller.
  WindowStats close(const PeerTotals& now, const std::optional<PeerWindow::Estimate>& estimate,
                    bool slowed, int64_t raw_ns);

 private:
  uint64_t id_ = 0;
  int64_t start_raw_ns_;
  PeerTotals before_;
};

}  // namespace lockstep::clocksync
