#include "clocksync/probe/prober.h"

#include <poll.h>
#include <time.h>

#include <algorithm>

#include "base/clock_ns.h"
#include "base/system.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;
// Trains due this soon are sent together: one wake-up, one wait between the packets.
constexpr int64_t kTogetherNs = kMillisecondNs;
constexpr size_t kMostTogether = 16;
// After sending or draining, the sockets rest: the packets of a train and their stamps come in one
// wake-up.
constexpr int64_t kRestNs = kMillisecondNs;
// A gap up to this long is spent spinning, a longer one sleeping (and is then not exact).
constexpr uint32_t kLongestSpinUs = 60;
constexpr int kGoodbyes = 3;

void pause_between_packets(int64_t start_ns, uint32_t spacing_us) {
  const int64_t until_ns = start_ns + int64_t{spacing_us} * 1000;
  if (spacing_us > kLongestSpinUs) {
    const timespec gap = {0, static_cast<long>(spacing_us) * 1000L};
    nanosleep(&gap, nullptr);
    return;
  }
  while (mono_now_ns() < until_ns) {
  }
}

EdgeSetup edge_setup(const ProberSetup& setup) {
  EdgeSetup edges;
  edges.job_hash = name_hash(setup.job);
  edges.self_id = setup.self.id;
  edges.self_nonce = random_u64() | 1;
  edges.secret = setup.secret;
  edges.rates.steady_per_s = 1e6 / setup.options.cadence_us;
  edges.rates.burst_per_s = 1e6 / setup.options.burst_cadence_us;
  edges.rates.largest_per_s = std::max(100.0, edges.rates.steady_per_s);
  edges.limits = {setup.options.d_ns_s2, 2 * setup.options.rho_ppm};
  edges.window_ns = int64_t{setup.options.window_s} * 1000 * kMillisecondNs;
  edges.train_length = static_cast<uint8_t>(setup.options.train);
  edges.spacing_us = static_cast<uint16_t>(setup.options.spacing_us);
  return edges;
}

}  // namespace

Prober::Prober(const ProberSetup& setup, const ClockSource& clock,
               std::shared_ptr<HostDirectory> directory, ClockRecordWriter writer,
               std::vector<ProbeSocket> sockets)
    : setup_(setup),
      clock_(clock),
      directory_(std::move(directory)),
      writer_(std::move(writer)),
      sockets_(std::move(sockets)),
      edge_setup_(edge_setup(setup)),
      converter_(clock),
      guard_(setup.options.cpu_cap_percent, setup.options.packets_per_s_cap),
      random_state_(edge_setup_.self_nonce) {}

double Prober::dice() {
  random_state_ = random_state_ * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(random_state_ >> 11) * 0x1p-53;
}

void Prober::run(int stop_fd) {
  write_hello();
  bool stop = false;
  while (!stop) {
    const int64_t now_ns = mono_now_ns();
    send_due_trains(now_ns);
    if (now_ns >= hold_until_ns_) drain(now_ns);
    if (now_ns >= next_tick_ns_) tick(now_ns);
    if (now_ns >= next_flush_ns_) flush(now_ns);
    wait(stop_fd, &stop);
  }
  say_goodbye();
}

void Prober::wait(int stop_fd, bool* stop) {
  int64_t until_ns = std::min(next_tick_ns_, next_flush_ns_);
  for (const auto& [id, edge] : edges_) {
    if (edge->machine.trains_per_s() > 0) until_ns = std::min(until_ns, edge->next_train_ns);
  }
  int64_t now_ns = mono_now_ns();
  const bool resting = now_ns < hold_until_ns_;
  if (resting) until_ns = std::min(until_ns, hold_until_ns_);
  std::vector<pollfd> items = {{stop_fd, POLLIN, 0}};
  if (!resting) {
    for (const ProbeSocket& one : sockets_) items.push_back({one.fd(), POLLIN, 0});
  }
  const int64_t pause_ns = std::max<int64_t>(0, until_ns - now_ns);
  const timespec timeout = {pause_ns / 1'000'000'000, pause_ns % 1'000'000'000};
  ppoll(items.data(), items.size(), &timeout, nullptr);
  *stop = items[0].revents != 0;
}

void Prober::schedule(Edge* edge, int64_t now_ns) {
  const double rate = edge->machine.trains_per_s();
  if (rate <= 0) return;
  // +-10 %: a fixed cadence would meet the same phase of every training step.
  edge->next_train_ns = now_ns + static_cast<int64_t>(1e9 / rate * (0.9 + 0.2 * dice()));
}

void Prober::send_due_trains(int64_t now_ns) {
  std::vector<Edge*> due;
  for (const auto& [id, edge] : edges_) {
    const bool probing = edge->session() && edge->machine.trains_per_s() > 0;
    if (!probing || edge->next_train_ns > now_ns + kTogetherNs || due.size() == kMostTogether)
      continue;
    due.push_back(edge.get());
  }
  if (due.empty()) return;
  const bool any_due = std::any_of(
      due.begin(), due.end(), [now_ns](const Edge* edge) { return edge->next_train_ns <= now_ns; });
  if (!any_due) return;
  for (Edge* edge : due) {
    edge->begin_train();
    schedule(edge, now_ns);
  }
  send_trains(due);
  // Application stamps do get older by waiting.
  if (lazy()) hold_until_ns_ = std::max(hold_until_ns_, mono_now_ns() + kRestNs);
}

// Packet by packet through all the trains, so that their gaps pass at the same time.
void Prober::send_trains(const std::vector<Edge*>& due) {
  for (uint8_t index = 0; index < edge_setup_.train_length; ++index) {
    const int64_t start_ns = mono_now_ns();
    for (Edge* edge : due) {
      if (!guard_.may_send(start_ns)) continue;
      const size_t socket = 1 + static_cast<size_t>(edge->path()) % (sockets_.size() - 1);
      PacketBytes bytes;
      edge->write_probe(index, sockets_[socket].kernel_stamps(), clock_.raw_ns(), &bytes);
      send(bytes, edge->address(), socket);
    }
    if (index + 1 < edge_setup_.train_length)
      pause_between_packets(start_ns, edge_setup_.spacing_us);
  }
}

bool Prober::send(const PacketBytes& bytes, const Endpoint& to, size_t socket) {
  if (!sockets_[socket].send(bytes, to)) {
    ++counters_.send_failed;
    return false;
  }
  ++counters_.packets_sent;
  counters_.bytes_sent += bytes.size();
  return true;
}

void Prober::tick(int64_t now_ns) {
  next_tick_ns_ = now_ns + int64_t{setup_.options.snapshot_ms} * kMillisecondNs;
  write_snapshot();
  update_members(now_ns);
  for (const auto& [id, edge] : edges_) {
    const double rate_before = edge->machine.trains_per_s();
    if (edge->machine.tick(now_ns)) write_state(edge.get());
    // A rate that went up counts from now, not from the end of the old pause.
    if (edge->machine.trains_per_s() > rate_before) schedule(edge.get(), now_ns);
    greet_if_due(edge.get(), edge->address(), now_ns);
  }
  if (filtering_ && !guard_.flooded(now_ns)) {
    for (ProbeSocket& one : sockets_) one.clear_flood_filter();
    filtering_ = false;
  }
}

void Prober::greet_if_due(Edge* edge, const Endpoint& to, int64_t now_ns) {
  if (!edge->machine.hello_due(now_ns) || !guard_.may_send(now_ns)) return;
  PacketBytes bytes;
  edge->write_hello(&bytes, clock_.raw_ns());
  send(bytes, to, 0);
  edge->machine.hello_sent(now_ns, dice());
}

// The last stamps would otherwise never reach the peers.
void Prober::say_goodbye() {
  drain(mono_now_ns());
  for (int i = 0; i < kGoodbyes; ++i) {
    for (const auto& [id, edge] : edges_) {
      if (!edge->session() || edge->machine.phase() == EdgePhase::Down) continue;
      PacketBytes bytes;
      edge->write_bye(&bytes, clock_.raw_ns());
      send(bytes, edge->address(), 0);
    }
  }
  report_rejected(mono_now_ns(), true);
  flush(mono_now_ns());
}

}  // namespace lockstep::clocksync
