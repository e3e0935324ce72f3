#include "clocksync/probe/window_account.h"

namespace lockstep::clocksync {
namespace {

// Fewer than this share of packets lost is what a healthy network does.
constexpr double kWeakLoss = 0.2;

uint64_t malformed(const ProbeCounters& counters) {
  return counters.truncated + counters.oversized + counters.bad_magic + counters.bad_field;
}

void put_estimate(const PeerWindow::Estimate& estimate, WindowStats* stats) {
  stats->alpha = estimate.alpha;
  stats->beta_ns = estimate.centre.estimate_ns();
  stats->lo_ns = estimate.centre.lo_ns;
  stats->hi_ns = estimate.centre.hi_ns;
  stats->pairs = estimate.pairs;
  stats->min_rtt_ns = estimate.min_rtt_ns;
  stats->kind = estimate.kind;
}

void grade(bool answered, bool slowed, WindowStats* stats) {
  const auto seen = static_cast<double>(stats->received + stats->lost);
  const bool lossy = seen > 0 && static_cast<double>(stats->lost) / seen > kWeakLoss;
  stats->status = !answered ? "failed" : lossy || slowed ? "weak" : "ok";
  if (!answered) {
    stats->reason = stats->received == 0 ? "no packets" : "no interval from both directions";
  } else if (lossy) {
    stats->reason = "many packets lost";
  } else if (slowed) {
    stats->reason = "slowed down by the cpu or packet cap";
  }
}

}  // namespace

WindowStats WindowAccount::close(const PeerTotals& now,
                                 const std::optional<PeerWindow::Estimate>& estimate, bool slowed,
                                 int64_t raw_ns) {
  const ReceiveTotals& heard = now.receptions;
  const ReceiveTotals& heard_before = before_.receptions;
  WindowStats stats;
  stats.t_raw_ns = raw_ns;
  stats.window_id = id_++;
  stats.start_raw_ns = start_raw_ns_;
  stats.end_raw_ns = raw_ns;
  stats.sent = now.sent - before_.sent;
  stats.received = heard.received - heard_before.received;
  stats.lost = heard.lost > heard_before.lost ? heard.lost - heard_before.lost : 0;
  const uint64_t pairs = heard.train_pairs - heard_before.train_pairs;
  const uint64_t pure = heard.pure_pairs - heard_before.pure_pairs;
  stats.purity = pairs == 0 ? 0 : static_cast<double>(pure) / static_cast<double>(pairs);
  if (estimate) put_estimate(*estimate, &stats);
  grade(estimate.has_value(), slowed, &stats);
  stats.dropped_auth = now.rejected.bad_mac - before_.rejected.bad_mac;
  stats.dropped_replay = now.rejected.replayed - before_.rejected.replayed;
  stats.dropped_version = now.rejected.bad_version - before_.rejected.bad_version;
  stats.dropped_malformed = malformed(now.rejected) - malformed(before_.rejected);
  start_raw_ns_ = raw_ns;
  before_ = now;
  return stats;
}

}  // namespace lockstep::clocksync
