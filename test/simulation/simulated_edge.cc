#include "test/simulation/simulated_edge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

constexpr double kSpacingNs = 20'000;
constexpr double kBurstPeriodNs = 100e6;

using Random = std::mt19937_64;

double exponential(Random& random, double mean) {
  return mean > 0 ? std::exponential_distribution<double>(1 / mean)(random) : 0;
}

double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

// The backlog that a packet meets, by Lindley's recursion over the foreign packets in between.
class Queue {
 public:
  Queue(const SimulatedPath& path, uint64_t seed) : path_(path), random_(seed) {}

  double delay_ns(double now_ns) {
    double delay = path_.floor_ns + path_.extra_ns + exponential(random_, path_.jitter_ns);
    if (path_.queue_load > 0) {
      const double mean_gap = path_.queue_service_ns / path_.queue_load;
      // Further back than this nothing of the backlog is left.
      now_at_ = std::max(now_at_, now_ns - 500 * mean_gap);
      while (now_at_ < now_ns) {
        const double gap = exponential(random_, mean_gap);
        backlog_ns_ =
            std::max(0.0, backlog_ns_ + exponential(random_, path_.queue_service_ns) - gap);
        now_at_ += gap;
      }
      delay += backlog_ns_;
    }
    if (std::fmod(now_ns, kBurstPeriodNs) < path_.burst_share * kBurstPeriodNs) {
      delay += 2e6 * uniform(random_);
    }
    return delay;
  }

 private:
  const SimulatedPath path_;
  Random random_;
  double backlog_ns_ = 0, now_at_ = 0;
};

struct Direction {
  const VirtualClockModel& sender;
  const VirtualClockModel& receiver;
  const SimulatedPath& path;
};

using Bins = std::map<int64_t, std::vector<HullPoint>>;

uint64_t send_trains(const SimulatedScenario& s, const Direction& d, uint64_t seed, Bins* bins) {
  Random random(seed);
  Queue queue(d.path, seed + 1);
  uint64_t packets = 0;
  const double period_ns = 1e9 / s.trains_per_s;
  for (double at = period_ns * uniform(random); at < s.duration_s * 1e9;
       at += period_ns * (0.9 + 0.2 * uniform(random))) {
    for (int k = 0; k < s.train; ++k) {
      const double sent_ns = at + k * kSpacingNs;
      const double delay_ns = queue.delay_ns(sent_ns);
      if (uniform(random) < s.loss) continue;
      HullPoint p;
      const bool no_stamp = uniform(random) < s.missing_tx;
      const double early_ns = no_stamp ? 500 + exponential(random, 3'000) : 0;
      p.kind = no_stamp ? StampKind::Application : StampKind::Kernel;
      p.tx_raw_ns = d.sender.at(std::llround(sent_ns - early_ns));
      const int64_t rx_raw_ns = d.receiver.at(std::llround(sent_ns + delay_ns));
      p.delta_ns = rx_raw_ns - p.tx_raw_ns;
      p.uncertainty_ns = 20;
      auto& bin = (*bins)[rx_raw_ns / kHullBinNs];
      const int copies = uniform(random) < s.duplication ? 2 : 1;
      bin.insert(bin.end(), size_t(copies), p);
      packets += uint64_t(copies);
    }
  }
  for (auto& bin : *bins) std::shuffle(bin.second.begin(), bin.second.end(), random);
  return packets;
}

VirtualClockModel clock(int64_t offset_ns, double skew_ppm, double wander_ppm, double period_s) {
  VirtualClockModel model;
  model.offset_ns = offset_ns;
  model.skew_ppm = skew_ppm;
  model.wander_ppm = wander_ppm;
  model.wander_period_s = period_s;
  return model;
}

SimulatedScenario scenario(const char* name, double trains_per_s) {
  SimulatedScenario s;
  s.name = name;
  // 31 and 25 ns/s^2: together 57, within D = 100.
  s.clock_a = clock(1'700'000'000'000'000'000, -12, 0.04, 10);
  s.clock_b = clock(5'000'000'000'000, 37, 0.05, 10);
  s.trains_per_s = trains_per_s;
  return s;
}

void load_both(SimulatedScenario* s, double rho) {
  s->a_to_b.queue_load = s->b_to_a.queue_load = rho;
}

}  // namespace

int64_t SimulatedEdge::truth(int64_t x_raw_ns) const {
  return clock_b.at(clock_a.inverse(x_raw_ns)) - x_raw_ns;
}

SimulatedEdge simulate(const SimulatedScenario& s, uint64_t seed) {
  SimulatedEdge edge;
  edge.clock_a = s.clock_a;
  edge.clock_b = s.clock_b;
  Bins at_b, at_a;
  edge.packets += send_trains(s, {s.clock_a, s.clock_b, s.a_to_b}, 2 * seed + 1'000'003, &at_b);
  edge.packets += send_trains(s, {s.clock_b, s.clock_a, s.b_to_a}, 2 * seed + 2'000'006, &at_a);
  for (auto& bin : at_b) {
    for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) edge.bounds.add_a_to_b(p);
  }
  for (auto& bin : at_a) {
    for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) edge.bounds.add_b_to_a(p);
  }
  return edge;
}

std::vector<SimulatedScenario> all_scenarios() {
  std::vector<SimulatedScenario> all;
  const auto add = [&all](const char* name, double trains_per_s) -> SimulatedScenario& {
    all.push_back(scenario(name, trains_per_s));
    return all.back();
  };
  add("idle, 10 trains/s", 10);
  add("idle, 100 trains/s", 100);
  load_both(&add("queue rho=0.7", 20), 0.7);
  load_both(&add("queue rho=0.95", 20), 0.95);
  add("queue rho=0.9 one way", 20).a_to_b.queue_load = 0.9;
  auto& bursts = add("overload bursts 80 %", 20);
  bursts.a_to_b.burst_share = bursts.b_to_a.burst_share = 0.8;
  add("20 us asymmetry", 20).a_to_b.extra_ns = 20'000;
  auto& lossy = add("30 % loss, reordering, 20 % duplicates", 20);
  lossy.loss = 0.3, lossy.duplication = 0.2;
  add("half of the TX stamps missing", 20).missing_tx = 0.5;
  auto& fast = add("+-200 ppm", 20);
  fast.clock_a.skew_ppm = -200, fast.clock_b.skew_ppm = 200;
  fast.clock_a.wander_ppm = fast.clock_b.wander_ppm = 0;
  auto& wander = add("wander at D", 20);
  wander.clock_a = clock(0, 5, 0, 10);
  wander.clock_b = clock(-7'000'000'000, -20, 0.157, 10);
  const std::pair<const char*, int64_t> steps[] = {
      {"step +5 s", 5'000'000'000}, {"step +1 ms", 1'000'000}, {"step -40 us", -40'000},
      {"step +9 us", 9'000},        {"step -3.5 us", -3'500},  {"step +1.5 us", 1'500}};
  for (const auto& [name, jump_ns] : steps) {
    add(name, 20).clock_b.steps = {{8'200'000'000, jump_ns}};
  }
  auto& both = add("both clocks step, loss, load", 20);
  both.clock_a.steps = {{12'000'000'000, 700'000}};
  both.clock_b.steps = {{5'000'000'000, -2'000'000}, {12'300'000'000, 5'000'000}};
  both.loss = 0.1;
  load_both(&both, 0.5);
  add("2 trains/s", 2);
  return all;
}

}  // namespace lockstep::clocksync
