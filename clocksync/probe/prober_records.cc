#include <time.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock_ns.h"
#include "clocksync/probe/prober.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kAuthFaultPauseNs = 60 * kSecondNs;
constexpr int64_t kSuspendNs = 1'000'000;
// Fewer than this share of packets lost is what a healthy network does.
constexpr double kWeakLoss = 0.2;
// With fewer the interval is wide because the window is young, not because the path is busy.
constexpr uint64_t kPairsToJudge = 8;

// "bad_mac=3 replayed=1": every counter that is not zero.
std::string counter_text(const ProbeCounters& counters) {
  std::string text;
  for_each_counter(counters, [&text](const char* name, uint64_t value) {
    if (value != 0)
      text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(value);
  });
  return text;
}

}  // namespace

void Prober::write_hello() {
  ClockHello hello = setup_.hello;
  hello.t_raw_ns = clock_.raw_ns();
  hello.nonce = edge_setup_.self_nonce;
  hello.epoch = epoch_;
  writer_.append(hello);
  if (setup_.takeover) {
    fault("takeover", "", "another process of this host probed before; this one goes on", 1);
  }
  if (!sockets_.front().kernel_stamps() && setup_.options.kernel_stamps) {
    fault("no_kernel_stamps", "", "SO_TIMESTAMPING refused; application stamps are used", 1);
  }
  boot_minus_mono_ns_ = clock_now_ns(CLOCK_BOOTTIME) - mono_now_ns();
  writer_.flush();
}

void Prober::write_snapshot() {
  ClockSnapshot snapshot = clock_.snapshot();
  snapshot.t_raw_ns = snapshot.raw_ns;
  writer_.append(snapshot);
  const int64_t boot_minus_mono_ns = clock_now_ns(CLOCK_BOOTTIME) - mono_now_ns();
  if (std::llabs(boot_minus_mono_ns - boot_minus_mono_ns_) > kSuspendNs) {
    boot_minus_mono_ns_ = boot_minus_mono_ns;
    fault("suspended", "", "the host slept or was moved; its clock did not run meanwhile", 1);
  }
}

void Prober::write_state(Edge* edge) {
  EdgeState state;
  state.t_raw_ns = clock_.raw_ns();
  state.peer = edge->peer().name;
  state.state = edge_phase_name(edge->machine.phase());
  state.reason = edge->machine.reason();
  state.trains_per_s = edge->machine.trains_per_s();
  writer_.append(state);
  const bool down = edge->machine.phase() == EdgePhase::Down && state.reason != "bye";
  if (down && !edge->no_path_told) {
    fault("no_path", state.peer,
          "no packet from " + edge->peer().address + ":" + std::to_string(edge->peer().port) +
              " (" + state.reason + "); is UDP blocked?",
          1);
  }
  edge->no_path_told = down || (edge->no_path_told && edge->machine.phase() == EdgePhase::Hello);
}

void Prober::fault(const std::string& kind, const std::string& peer, const std::string& detail,
                   uint64_t count) {
  writer_.append(ClockFault{clock_.raw_ns(), kind, peer, detail, count});
}

void Prober::flush(int64_t now_ns) {
  next_flush_ns_ = now_ns + int64_t{setup_.options.flush_ms} * 1'000'000;
  guard_.measure(thread_cpu_now_ns(), now_ns);
  const int64_t now_raw_ns = clock_.raw_ns();
  for (const auto& [id, edge] : edges_) flush_edge(edge.get(), now_raw_ns, now_ns);
  counters_.kernel_dropped = 0;
  for (const ProbeSocket& one : sockets_) counters_.kernel_dropped += one.kernel_drops();
  report_rejected(now_ns, false);
  publish_health();
  const Status status = writer_.flush();
  if (!status.ok() && !disk_trouble_told_) {
    disk_trouble_told_ = true;
    if (setup_.options.log) setup_.options.log("clock: " + status.message());
  }
}

void Prober::flush_edge(Edge* edge, int64_t now_raw_ns, int64_t now_ns) {
  edge->receptions.expire(now_raw_ns);
  counters_.tx_stamp_missing += edge->sends.take_missing(now_raw_ns);
  const uint64_t points_before = edge->receptions.points();
  for (const HullBin& bin : edge->receptions.take_bins(edge->peer().name, now_raw_ns)) {
    counters_.points += bin.points.size();
    for (const HullPoint& point : bin.points) edge->window.add_incoming(point);
    writer_.append(bin);
  }
  edge->window.forget_before(now_raw_ns - edge_setup_.window_ns);
  const bool window_over = now_raw_ns - edge->window_start_ns >= edge_setup_.window_ns;
  if (!edge->session() || (points_before == 0 && !window_over)) return;
  const auto estimate = edge->window.estimate(now_raw_ns);
  EdgeQuality quality;
  if (estimate && edge->window_id > 0 && estimate->pairs >= kPairsToJudge) {
    quality.half_width_ns = estimate->centre.width_ns() / 2;
    quality.floor_ns = estimate->min_rtt_ns / 2;
  }
  quality.purity = edge->receptions.totals().purity();
  quality.peer_wants_faster = edge->peer_wants_faster;
  const double rate_before = edge->machine.trains_per_s();
  edge->machine.adapt(quality, guard_.scale(), now_ns);
  if (edge->machine.trains_per_s() > rate_before) schedule(edge, now_ns);
  if (window_over) write_window(edge, estimate, now_raw_ns);
}

void Prober::write_window(Edge* edge, const std::optional<EdgeWindow::Estimate>& estimate,
                          int64_t now_raw_ns) {
  const ReceiveTotals& totals = edge->receptions.totals();
  const ReceiveTotals& before = edge->totals_at_window;
  WindowStats stats;
  stats.t_raw_ns = now_raw_ns;
  stats.window_id = edge->window_id++;
  stats.peer = edge->peer().name;
  stats.start_raw_ns = edge->window_start_ns;
  stats.end_raw_ns = now_raw_ns;
  stats.sent = edge->sends.last_sequence() - edge->sent_at_window;
  stats.received = totals.received - before.received;
  stats.lost = totals.lost > before.lost ? totals.lost - before.lost : 0;
  const uint64_t pairs = totals.train_pairs - before.train_pairs;
  const uint64_t pure = totals.pure_pairs - before.pure_pairs;
  stats.purity = pairs == 0 ? 0 : static_cast<double>(pure) / static_cast<double>(pairs);
  if (estimate) {
    stats.alpha = estimate->alpha;
    stats.beta_ns = estimate->centre.estimate_ns();
    stats.lo_ns = estimate->centre.lo_ns;
    stats.hi_ns = estimate->centre.hi_ns;
    stats.pairs = estimate->pairs;
    stats.min_rtt_ns = estimate->min_rtt_ns;
    stats.kind = estimate->kind;
  }
  const double seen = static_cast<double>(stats.received + stats.lost);
  const bool lossy = seen > 0 && static_cast<double>(stats.lost) / seen > kWeakLoss;
  const bool slowed = guard_.scale() < 0.5;
  stats.status = !estimate ? "failed" : lossy || slowed ? "weak" : "ok";
  if (!estimate)
    stats.reason = stats.received == 0 ? "no packets" : "no interval from both directions";
  if (estimate && lossy) stats.reason = "many packets lost";
  if (estimate && !lossy && slowed) stats.reason = "slowed down by the cpu or packet cap";
  const ProbeCounters& now = edge->rejected;
  const ProbeCounters& then = edge->rejected_at_window;
  stats.dropped_auth = now.bad_mac - then.bad_mac;
  stats.dropped_replay = now.replayed - then.replayed;
  stats.dropped_version = now.bad_version - then.bad_version;
  stats.dropped_malformed = (now.truncated + now.oversized + now.bad_magic + now.bad_field) -
                            (then.truncated + then.oversized + then.bad_magic + then.bad_field);
  writer_.append(stats);
  edge->window_start_ns = now_raw_ns;
  edge->totals_at_window = totals;
  edge->sent_at_window = edge->sends.last_sequence();
  edge->rejected_at_window = now;
}

void Prober::report_rejected(int64_t now_ns, bool last) {
  const uint64_t rejected = counters_.suspicious();
  if (rejected == rejected_told_ || (now_ns < next_auth_fault_ns_ && !last)) return;
  fault("auth", "", counter_text(counters_), rejected - rejected_told_);
  rejected_told_ = rejected;
  next_auth_fault_ns_ = now_ns + kAuthFaultPauseNs;
}

void Prober::publish_health() {
  ClockSyncHealth health;
  health.leader = true;
  health.hosts = static_cast<uint32_t>(known_.size());
  health.edges = static_cast<uint32_t>(edges_.size());
  for (const auto& [id, edge] : edges_) health.edges_up += edge->machine.trains_per_s() > 0 ? 1 : 0;
  health.cpu_percent = guard_.cpu_percent();
  health.packets_sent = counters_.packets_sent;
  health.packets_received = counters_.packets_received;
  health.bytes_sent = counters_.bytes_sent;
  health.points = counters_.points;
  health.counters = counter_text(counters_);
  const std::lock_guard<std::mutex> lock(health_mutex_);
  health_ = health;
}

ClockSyncHealth Prober::health() const {
  const std::lock_guard<std::mutex> lock(health_mutex_);
  return health_;
}

}  // namespace lockstep::clocksync
