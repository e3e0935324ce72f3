// The clock solver: accuracy per simulated scenario (truth is known), cost of a query, and the
// graph of hosts up to 100,000 with time and memory. Usage: clock_solver [--hosts N]... (default
// 100 1000 10000 100000)
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "clocksync/solve/graph_solver.h"
#include "test/simulation/simulated_edge.h"

namespace {

using namespace lockstep::clocksync;

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

long peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

int64_t quantile(std::vector<int64_t>* values, double share) {
  const auto nth = values->begin() + int64_t(share * double(values->size() - 1));
  std::nth_element(values->begin(), nth, values->end());
  return *nth;
}

void accuracy() {
  std::printf("%-42s %9s %9s %9s %10s %10s %8s\n", "scenario (3 seeds x 20 s), ns", "err p50",
              "err p99", "err max", "half p50", "half p99", "inside");
  for (const SimulatedScenario& scenario : all_scenarios()) {
    std::vector<int64_t> errors, halves;
    uint64_t inside = 0;
    for (uint64_t seed = 101; seed <= 103; ++seed) {
      const SimulatedEdge edge = simulate(scenario, seed);
      const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());
      for (int64_t x = model.from_raw_ns(); x < model.to_raw_ns(); x += 1'000'003) {
        const auto answer = model.at(x);
        if (!answer) continue;
        const int64_t truth = edge.truth(x);
        inside += truth >= answer->lo_ns && truth <= answer->hi_ns;
        errors.push_back(std::llabs(truth - answer->estimate_ns()));
        halves.push_back(answer->width_ns() / 2);
      }
    }
    const double share = 100.0 * double(inside) / double(errors.size());
    std::printf("%-42s %9ld %9ld %9ld %10ld %10ld %7.3f%%\n", scenario.name.c_str(),
                long(quantile(&errors, 0.5)), long(quantile(&errors, 0.99)),
                long(quantile(&errors, 1)), long(quantile(&halves, 0.5)),
                long(quantile(&halves, 0.99)), share);
  }
}

void query_cost() {
  for (const double trains_per_s : {10.0, 100.0}) {
    SimulatedScenario scenario = all_scenarios().front();
    scenario.trains_per_s = trains_per_s;
    scenario.duration_s = 60;
    SimulatedEdge edge = simulate(scenario, 1);
    const auto by_x = [](const OffsetBound& a, const OffsetBound& b) {
      return a.x_raw_ns < b.x_raw_ns;
    };
    std::sort(edge.bounds.upper.begin(), edge.bounds.upper.end(), by_x);
    std::sort(edge.bounds.lower.begin(), edge.bounds.lower.end(), by_x);
    const double begin_s = now_s();
    const EdgeModel model = EdgeModel::solve(edge.bounds, EdgeOptions());
    const double solved_s = now_s();
    const TaylorHull hull(edge.bounds.upper, edge.bounds.lower, TaylorLimits());
    int64_t sum = 0;
    const int64_t step_ns = (model.to_raw_ns() - model.from_raw_ns()) / 20'000;
    const double hull_s = now_s();
    for (int i = 0; i < 20'000; ++i) sum += hull.at(model.from_raw_ns() + i * step_ns)->lo_ns;
    const double exact_s = now_s();
    for (int round = 0; round < 50; ++round) {
      for (int i = 0; i < 20'000; ++i) sum += model.at(model.from_raw_ns() + i * step_ns)->lo_ns;
    }
    const double end_s = now_s();
    std::printf(
        "%.0f trains/s: %zu points for 60 s (of %lu packets); solve %.1f ms; one exact instant "
        "%.2f us; "
        "one interpolated query %.0f ns (checksum %ld)\n",
        trains_per_s, edge.bounds.upper.size() + edge.bounds.lower.size(),
        static_cast<unsigned long>(edge.packets), (solved_s - begin_s) * 1e3,
        (exact_s - hull_s) / 20'000 * 1e6, (end_s - exact_s) / 1e6 * 1e9, long(sum % 10));
  }
}

// An edge between two drifting clocks, known from four points to each side.
EdgeModel short_edge(double theta_ns, double slope_ppm, std::mt19937_64* random) {
  std::exponential_distribution<double> late(1 / 300.0);
  EdgeBounds bounds;
  for (int i = 0; i < 4; ++i) {
    const int64_t x = i * 166'000'000;
    const double theta = theta_ns + slope_ppm * 1e-6 * double(x);
    bounds.upper.push_back({x, std::llround(theta + 2'000 + late(*random))});
    bounds.lower.push_back({x, std::llround(theta - 2'000 - late(*random))});
  }
  EdgeOptions options;
  options.from_raw_ns = -10'000'000;
  options.to_raw_ns = 508'000'000;
  return EdgeModel::solve(std::move(bounds), options);
}

void graph(uint32_t hosts) {
  std::mt19937_64 random(hosts);
  std::uniform_real_distribution<double> offset(-1e5, 1e5), skew(-50, 50);
  std::vector<double> theta(hosts), slope(hosts);
  std::vector<std::string> names(hosts);
  std::vector<uint32_t> order(hosts);
  for (uint32_t h = 0; h < hosts; ++h) {
    theta[h] = offset(random), slope[h] = skew(random), order[h] = h;
    char name[16];
    std::snprintf(name, sizeof name, "h%06u", h);
    names[h] = name;
  }
  const double begin_s = now_s();
  std::vector<GraphEdge> edges;
  for (int cycle = 0; cycle < 4; ++cycle) {
    std::shuffle(order.begin(), order.end(), random);
    for (uint32_t i = 0; i < hosts; ++i) {
      const uint32_t a = order[i], b = order[(i + 1) % hosts];
      edges.push_back({a, b, OffsetSource::Probes,
                       short_edge(theta[b] - theta[a], slope[b] - slope[a], &random), 4, 4});
    }
  }
  const double made_s = now_s();
  const size_t count = edges.size();
  GraphSolver solver(std::move(names), std::move(edges), GraphOptions());
  const ClockModel& model = solver.solve();
  const double solved_s = now_s();
  const size_t instants = model.hosts[1].knots.size();
  std::vector<int64_t> errors, halves;
  for (uint32_t h = 0; h < hosts; ++h) {
    const ClockKnot& knot = model.hosts[h].knots[instants / 2];
    const double at = double(knot.local_raw_ns - knot.theta_ns);
    const double truth = theta[h] - theta[0] + (slope[h] - slope[0]) * 1e-6 * at;
    errors.push_back(std::llabs(knot.theta_ns - std::llround(truth)));
    halves.push_back((knot.hi_ns - knot.lo_ns) / 2);
  }
  std::printf(
      "%6u hosts, %6zu edges: edges %.2f s, %zu instants %.2f s (%.0f ms each), error p50 %ld p99 "
      "%ld "
      "ns, half-width p50 %ld p99 %ld ns, peak %ld MiB\n",
      hosts, count, made_s - begin_s, instants, solved_s - made_s,
      (solved_s - made_s) / double(instants) * 1e3, long(quantile(&errors, 0.5)),
      long(quantile(&errors, 0.99)), long(quantile(&halves, 0.5)), long(quantile(&halves, 0.99)),
      peak_mib());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<uint32_t> sizes;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--hosts") == 0) sizes.push_back(uint32_t(std::atoi(argv[i + 1])));
  }
  if (sizes.empty()) {
    sizes = {100, 1000, 10'000, 100'000};
    accuracy();
    query_cost();
  }
  for (const uint32_t hosts : sizes) graph(hosts);
  return 0;
}
