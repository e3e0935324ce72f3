#include "test/simulation/simulated_probers.h"

#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "clocksync/probe/peer.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
// Kernel stamps of what was sent come back to the sender with its next look.
constexpr int64_t kLookNs = kMillisecondNs;
constexpr int64_t kUncertaintyNs = 20;

struct Flight {
  size_t from = 0, to = 0;
  PacketBytes bytes;
};

struct Host {
  PeerSetup setup;
  ProbeCounters counters;
  std::map<size_t, std::unique_ptr<Peer>> peers;
};

class World {
 public:
  World(const std::vector<VirtualClockModel>& clocks, const SimulatedNetwork& network,
        uint64_t seed)
      : clocks_(clocks), network_(network), random_(seed), hosts_(clocks.size()) {
    for (size_t h = 0; h < hosts_.size(); ++h) {
      hosts_[h].setup.job_hash = 1;
      hosts_[h].setup.self_id = static_cast<uint32_t>(h);
      hosts_[h].setup.self_nonce = 1000 + h;
    }
    for (size_t h = 0; h < hosts_.size(); ++h) {
      for (size_t p = 0; p < hosts_.size(); ++p) {
        if (p == h) continue;
        const HostEntry entry = {std::to_string(p), static_cast<uint32_t>(p), "127.0.0.1", 9, ""};
        hosts_[h].peers[p] =
            std::make_unique<Peer>(hosts_[h].setup, entry, Endpoint::from("127.0.0.1", 9).value(),
                                   false, Instant{0, raw_ns(h, 0)});
      }
    }
    result_.clocks = clocks;
    result_.bounds.assign(hosts_.size(), std::vector<EdgeBounds>(hosts_.size()));
  }

  SimulatedProbers run(int seconds) {
    const int64_t end_ns = seconds * kSecondNs;
    for (int64_t now_ns = kMillisecondNs; now_ns <= end_ns; now_ns += kMillisecondNs) {
      deliver(now_ns);
      const uint64_t sent_before = sent_;
      for (size_t h = 0; h < hosts_.size(); ++h) act(h, now_ns);
      if (now_ns > end_ns - kSecondNs) result_.packets_in_last_second += sent_ - sent_before;
    }
    return result_;
  }

 private:
  int64_t raw_ns(size_t host, int64_t true_ns) const { return clocks_[host].at(true_ns); }
  double chance() { return std::uniform_real_distribution<double>()(random_); }
  int64_t exponential(double mean_ns) {
    if (mean_ns <= 0) return 0;
    return std::llround(std::exponential_distribution<double>(1 / mean_ns)(random_));
  }

  void act(size_t h, int64_t now_ns) {
    for (auto& [p, peer] : hosts_[h].peers) {
      if (now_ns % (100 * kMillisecondNs) == 0) {
        peer->tick(now_ns);
        greet_if_due(h, p, now_ns);
      }
      if (peer->next_train_mono_ns() <= now_ns) send_train(h, p, now_ns);
      if (now_ns % kSecondNs == 0) settle(h, p, now_ns);
    }
  }

  void greet_if_due(size_t h, size_t p, int64_t now_ns) {
    Peer& peer = *hosts_[h].peers[p];
    if (!peer.hello_due(now_ns)) return;
    Flight flight{h, p, {}};
    peer.write_hello(&flight.bytes, raw_ns(h, now_ns));
    peer.hello_sent(now_ns);
    send(flight, now_ns);
  }

  void send_train(size_t h, size_t p, int64_t now_ns) {
    Peer& peer = *hosts_[h].peers[p];
    peer.begin_train(now_ns);
    for (uint8_t index = 0; index < hosts_[h].setup.train_length; ++index) {
      const int64_t write_ns = now_ns + index * int64_t{hosts_[h].setup.spacing_us} * 1000;
      Flight flight{h, p, {}};
      const uint64_t sequence =
          peer.write_probe(index, network_.kernel_stamps, raw_ns(h, write_ns), &flight.bytes);
      const int64_t leave_ns = write_ns + 500 + exponential(500);
      send(flight, leave_ns);
      if (network_.kernel_stamps) {
        sent_stamps_.emplace(now_ns + kLookNs,
                             SentAs{h, p, sequence, {raw_ns(h, leave_ns), kUncertaintyNs}});
      }
    }
  }

  void send(const Flight& flight, int64_t leave_ns) {
    ++sent_;
    double delay_ns = network_.floor_ns + double(exponential(network_.jitter_ns));
    if (flight.from < flight.to) delay_ns += network_.extra_upwards_ns;
    if (chance() < network_.late_share) delay_ns += double(exponential(network_.late_ns));
    if (chance() < network_.loss) return;
    flights_.emplace(leave_ns + std::llround(delay_ns), flight);
  }

  void deliver(int64_t now_ns) {
    for (; !sent_stamps_.empty() && sent_stamps_.begin()->first <= now_ns;
         sent_stamps_.erase(sent_stamps_.begin())) {
      const SentAs& sent = sent_stamps_.begin()->second;
      hosts_[sent.host].peers[sent.peer]->kernel_stamp(sent.sequence, sent.stamp);
    }
    for (; !flights_.empty() && flights_.begin()->first <= now_ns;
         flights_.erase(flights_.begin())) {
      arrive(flights_.begin()->second, flights_.begin()->first, now_ns);
    }
  }

  void arrive(const Flight& flight, int64_t arrival_ns, int64_t now_ns) {
    Peer& peer = *hosts_[flight.to].peers[flight.from];
    Packet packet;
    if (parse(flight.bytes.data(), flight.bytes.size(), &packet) != ParseFault::None) return;
    const bool kernel = network_.kernel_stamps;
    const int64_t stamp_ns = arrival_ns + (kernel ? 0 : 2000 + exponential(1000));
    const Peer::Verdict verdict =
        peer.judge({&packet,
                    flight.bytes.data(),
                    {raw_ns(flight.to, stamp_ns), kernel ? kUncertaintyNs : 0},
                    kernel ? StampKind::Kernel : StampKind::Application,
                    now_ns},
                   &hosts_[flight.to].counters);
    if (verdict != Peer::Verdict::Hello) return;
    greet_if_due(flight.to, flight.from, now_ns);
    if (!peer.take_turn_to_answer(now_ns)) return;
    Flight answer{flight.to, flight.from, {}};
    peer.write_hello_ack(&answer.bytes, raw_ns(flight.to, now_ns));
    send(answer, now_ns);
  }

  void settle(size_t h, size_t p, int64_t now_ns) {
    const PeerNews news =
        hosts_[h].peers[p]->settle({now_ns, raw_ns(h, now_ns)}, 1, &hosts_[h].counters);
    for (const HullBin& bin : news.bins) {
      for (const HullPoint& point : bin.points) {
        result_.bounds[p][h].add_a_to_b(point);
        result_.bounds[h][p].add_b_to_a(point);
      }
    }
  }

  struct SentAs {
    size_t host, peer;
    uint64_t sequence;
    RawStamp stamp;
  };

  const std::vector<VirtualClockModel>& clocks_;
  const SimulatedNetwork network_;
  std::mt19937_64 random_;
  std::vector<Host> hosts_;
  std::multimap<int64_t, Flight> flights_;  // by arrival
  std::multimap<int64_t, SentAs> sent_stamps_;
  uint64_t sent_ = 0;
  SimulatedProbers result_;
};

}  // namespace

int64_t SimulatedProbers::truth(size_t a, size_t b, int64_t a_raw_ns) const {
  return clocks[b].at(clocks[a].inverse(a_raw_ns)) - a_raw_ns;
}

SimulatedProbers simulate_probers(const std::vector<VirtualClockModel>& clocks,
                                  const SimulatedNetwork& network, int seconds, uint64_t seed) {
  return World(clocks, network, seed).run(seconds);
}

std::vector<VirtualClockModel> usual_clocks(size_t hosts) {
  std::vector<VirtualClockModel> clocks(hosts);
  for (size_t h = 1; h < hosts; ++h) {
    clocks[h].offset_ns = int64_t(h) * 1'230'000'000;
    clocks[h].skew_ppm = double(h * 17 % 61) - 30;
    clocks[h].wander_ppm = 0.05;
    clocks[h].wander_period_s = 10;
  }
  return clocks;
}

}  // namespace lockstep::clocksync
