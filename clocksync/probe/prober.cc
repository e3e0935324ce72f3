#include "clocksync/probe/prober.h"

#include <poll.h>
#include <time.h>

#include <algorithm>

#include "base/clock_ns.h"
#include "base/system.h"
#include "clocksync/probe/second.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;

// The interfaces share what one would send, but each stays above one train a second.
double shared_rate_per_s(uint32_t cadence_us, size_t interfaces) {
  const double rate_per_s = 1e6 / cadence_us;
  return std::max(std::min(rate_per_s, 1.0), rate_per_s / static_cast<double>(interfaces));
}

PeerSetup peer_setup_of(const ProbeSetup& setup) {
  const size_t interfaces = 1 + setup.self.further.size();
  PeerSetup peers;
  peers.job_hash = name_hash(setup.job);
  peers.self_id = setup.self.id;
  peers.self_nonce = random_u64() | 1;
  peers.secret = setup.secret;
  peers.rates.steady_per_s = shared_rate_per_s(setup.options.cadence_us, interfaces);
  peers.rates.burst_per_s = shared_rate_per_s(setup.options.burst_cadence_us, interfaces);
  peers.rates.largest_per_s = std::max(100.0, peers.rates.steady_per_s);
  peers.limits = {setup.options.d_ns_s2, 2 * setup.options.rho_ppm};
  peers.window_ns = int64_t{setup.options.window_s} * kSecondNs;
  peers.train_length = static_cast<uint8_t>(setup.options.train);
  peers.spacing_us = static_cast<uint16_t>(setup.options.spacing_us);
  return peers;
}

}  // namespace

Prober::Prober(const ProbeSetup& setup, const ClockSource& clock,
               std::shared_ptr<HostDirectory> directory, ClockRecordWriter writer,
               std::vector<ProbeSocket> sockets)
    : setup_(setup),
      peer_setup_(peer_setup_of(setup)),
      clock_(clock),
      guard_(setup.options.cpu_cap_percent, setup.options.packets_per_s_cap),
      paths_(std::move(sockets), &counters_),
      keeper_(clock, std::move(writer), setup.options.log),
      members_(setup_, peer_setup_, clock, std::move(directory)),
      sender_(peer_setup_, clock, &paths_, &guard_),
      receiver_({peer_setup_, clock, &members_, &paths_, &sender_, &guard_, &counters_}) {}

void Prober::run(int stop_fd) {
  begin();
  bool stop = false;
  while (!stop) {
    const int64_t mono_ns = mono_now_ns();
    if (sender_.send_due_trains(members_.peers(), mono_ns) && paths_.rest_ns() > 0) {
      rest(mono_now_ns() + paths_.rest_ns());
    }
    if (mono_ns >= rest_until_mono_ns_) read_sockets(mono_ns);
    if (mono_ns >= next_tick_mono_ns_) tick(mono_ns);
    if (mono_ns >= next_flush_mono_ns_) flush(mono_ns);
    stop = wait(stop_fd);
  }
  end();
}

void Prober::begin() {
  ClockHello hello = setup_.hello;
  hello.nonce = peer_setup_.self_nonce;
  keeper_.begin(std::move(hello));
  if (setup_.takeover) {
    keeper_.fault("takeover", "", "another process of this host probed before; this one goes on");
  }
  if (!paths_.kernel_stamps(ProbePaths::known_socket(0)) && setup_.options.kernel_stamps) {
    keeper_.fault("no_kernel_stamps", "", "SO_TIMESTAMPING refused; application stamps are used");
  }
  keeper_.flush();
}

void Prober::rest(int64_t until_mono_ns) {
  rest_until_mono_ns_ = std::max(rest_until_mono_ns_, until_mono_ns);
}

void Prober::read_sockets(int64_t mono_ns) {
  const PacketReceiver::Look look = receiver_.look(mono_ns);
  rest(mono_ns + look.rest_ns);
  if (look.realtime_stepped) {
    keeper_.fault("realtime_step", "",
                  "CLOCK_REALTIME jumped; kernel stamps since the last batch were dropped");
  }
}

void Prober::tick(int64_t mono_ns) {
  next_tick_mono_ns_ = mono_ns + int64_t{setup_.options.snapshot_ms} * kMillisecondNs;
  keeper_.snapshot();
  for (const std::string& complaint : members_.update(mono_ns)) keeper_.complaint(complaint);
  for (const auto& [id, peer] : members_.peers()) {
    if (const auto change = peer->tick(mono_ns)) keeper_.change(*change, peer->host());
    sender_.greet_if_due(peer.get(), peer->address(), mono_ns);
  }
  receiver_.tick(mono_ns);
}

void Prober::flush(int64_t mono_ns) {
  next_flush_mono_ns_ = mono_ns + int64_t{setup_.options.flush_ms} * kMillisecondNs;
  guard_.measure(thread_cpu_now_ns(), mono_ns);
  const Instant now = {mono_ns, clock_.raw_ns()};
  for (const auto& [id, peer] : members_.peers()) {
    keeper_.news(peer->settle(now, guard_.scale(), &counters_));
  }
  counters_.kernel_dropped = paths_.kernel_drops();
  keeper_.rejections(counters_, mono_ns);
  publish_health();
  keeper_.flush();
}

bool Prober::wait(int stop_fd) {
  int64_t until_mono_ns = std::min(next_tick_mono_ns_, next_flush_mono_ns_);
  for (const auto& [id, peer] : members_.peers()) {
    until_mono_ns = std::min(until_mono_ns, peer->next_train_mono_ns());
  }
  const int64_t mono_ns = mono_now_ns();
  std::vector<pollfd> items = {{stop_fd, POLLIN, 0}};
  if (mono_ns < rest_until_mono_ns_) {
    until_mono_ns = std::min(until_mono_ns, rest_until_mono_ns_);
  } else {
    paths_.add_to(&items);
  }
  const int64_t pause_ns = std::max<int64_t>(0, until_mono_ns - mono_ns);
  const timespec timeout = {pause_ns / kSecondNs, pause_ns % kSecondNs};
  ppoll(items.data(), items.size(), &timeout, nullptr);
  ++counters_.wakeups;
  return items[0].revents != 0;
}

void Prober::end() {
  read_sockets(mono_now_ns());
  sender_.say_goodbye(members_.peers());
  keeper_.last_rejections(counters_);
  flush(mono_now_ns());
}

void Prober::publish_health() {
  ClockSyncHealth health;
  health.leader = true;
  health.hosts = static_cast<uint32_t>(members_.known_hosts());
  health.peers = static_cast<uint32_t>(members_.peers().size());
  for (const auto& [id, peer] : members_.peers()) health.peers_up += peer->probing() ? 1 : 0;
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
