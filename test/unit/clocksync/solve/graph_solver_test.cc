#include "clocksync/solve/graph_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "test/simulation/simulated_edge.h"

namespace lockstep::clocksync {
namespace {

// Hosts with known clocks, all pairs or a ring of them probing each other.
struct Mesh {
  std::vector<VirtualClockModel> clocks;
  std::vector<std::string> names;
  std::vector<GraphEdge> edges;

  int64_t theta(uint32_t a, uint32_t b, int64_t a_raw_ns) const {
    return clocks[b].at(clocks[a].inverse(a_raw_ns)) - a_raw_ns;
  }
};

Mesh make_mesh(uint32_t hosts, uint64_t seed) {
  Mesh mesh;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> skew(-200, 200), offset(-1e15, 1e15), wander(0, 0.04);
  for (uint32_t h = 0; h < hosts; ++h) {
    VirtualClockModel clock;
    clock.offset_ns = int64_t(2e15 + offset(random));
    clock.skew_ppm = skew(random);
    clock.wander_ppm = wander(random);
    mesh.clocks.push_back(clock);
    mesh.names.push_back("host" + std::to_string(100 + h));
  }
  return mesh;
}

SimulatedScenario between(const Mesh& mesh, uint32_t a, uint32_t b) {
  SimulatedScenario s;
  s.clock_a = mesh.clocks[a];
  s.clock_b = mesh.clocks[b];
  s.duration_s = 10;
  return s;
}

void connect(Mesh* mesh, uint32_t a, uint32_t b, const SimulatedScenario& scenario) {
  GraphEdge edge;
  edge.a = a;
  edge.b = b;
  edge.model = EdgeModel::solve(simulate(scenario, 97 * a + b).bounds, EdgeOptions());
  mesh->edges.push_back(std::move(edge));
}

Mesh complete(uint32_t hosts, uint64_t seed) {
  Mesh mesh = make_mesh(hosts, seed);
  for (uint32_t a = 0; a < hosts; ++a) {
    for (uint32_t b = a + 1; b < hosts; ++b) connect(&mesh, a, b, between(mesh, a, b));
  }
  return mesh;
}

TEST(GraphSolver, PutsEveryHostOnTheReferencesClockWithinTheGuaranteedInterval) {
  const Mesh mesh = complete(6, 1);
  GraphSolver solver(mesh.names, mesh.edges, GraphOptions());
  const ClockModel& model = solver.solve();

  ASSERT_EQ(model.reference, "host100");
  EXPECT_TRUE(model.faults.empty());
  for (uint32_t h = 0; h < mesh.names.size(); ++h) {
    const HostModel* host = model.find(mesh.names[h]);
    ASSERT_NE(host, nullptr);
    // From before the first packet to after the last one.
    for (int64_t true_ns = -500'000'000; true_ns < 11'000'000'000; true_ns += 7'300'001) {
      const auto global = model.to_global(*host, mesh.clocks[h].at(true_ns));
      ASSERT_TRUE(global);
      const int64_t truth = mesh.clocks[0].at(true_ns);
      ASSERT_LE(global->lo_ns, truth + 1) << mesh.names[h] << " at " << true_ns;
      ASSERT_GE(global->hi_ns, truth - 1) << mesh.names[h] << " at " << true_ns;
      if (true_ns < 0 || true_ns > 10'000'000'000) continue;
      EXPECT_LT(std::llabs(global->ns - truth), 150) << mesh.names[h] << " at " << true_ns;
    }
  }
}

TEST(GraphSolver, AnswersAnyPairAtAnyInstantNarrowerThanTheSumOfTheDetour) {
  const Mesh mesh = complete(5, 2);
  GraphSolver solver(mesh.names, mesh.edges, GraphOptions());
  solver.solve();
  for (uint32_t a = 0; a < 5; ++a) {
    const int64_t x = mesh.clocks[a].at(4'321'000'000);
    const auto pairs = solver.pairs(a, x);
    for (uint32_t b = 0; b < 5; ++b) {
      ASSERT_TRUE(pairs[b]);
      EXPECT_LE(pairs[b]->lo_ns, mesh.theta(a, b, x));
      EXPECT_GE(pairs[b]->hi_ns, mesh.theta(a, b, x));
      EXPECT_LT(pairs[b]->hi_ns - pairs[b]->lo_ns, 4'600);
    }
  }
}

TEST(GraphSolver, NamesAWrongPathAndDoesNotFollowIt) {
  Mesh mesh = make_mesh(9, 3);
  for (uint32_t a = 0; a < 9; ++a) {
    for (uint32_t b = a + 1; b < 9; ++b) {
      SimulatedScenario s = between(mesh, a, b);
      if (a == 2 && b == 5) s.a_to_b.extra_ns = 20'000;
      connect(&mesh, a, b, s);
    }
  }
  GraphSolver solver(mesh.names, mesh.edges, GraphOptions());
  const ClockModel& model = solver.solve();

  for (const EdgeReport& edge : model.edges) {
    EXPECT_EQ(edge.asymmetric_path, edge.a == "host102" && edge.b == "host105") << edge.a << edge.b;
  }
  for (const HostModel& host : model.hosts) EXPECT_FALSE(host.weak);
  const int64_t x = mesh.clocks[2].at(5'000'000'000);
  EXPECT_LT(std::llabs(solver.pairs(2, x)[5]->estimate_ns - mesh.theta(2, 5, x)), 500);
}

TEST(GraphSolver, NeverInventsAnOffsetBetweenHostsThatNothingConnects) {
  Mesh mesh = make_mesh(6, 4);
  for (const auto& [a, b] : {std::pair<uint32_t, uint32_t>{1, 2}, {2, 3}, {1, 3}, {4, 5}}) {
    connect(&mesh, a, b, between(mesh, a, b));
  }
  GraphSolver solver(mesh.names, mesh.edges, GraphOptions());
  const ClockModel& model = solver.solve();

  EXPECT_EQ(model.reference, "host101");
  ASSERT_EQ(model.faults.size(), 1u);
  EXPECT_EQ(model.faults[0].kind, "partition");
  const int64_t x = mesh.clocks[4].at(5'000'000'000);
  EXPECT_FALSE(model.to_global(model.hosts[0], x));
  EXPECT_FALSE(model.to_global(model.hosts[4], x));
  EXPECT_TRUE(model.to_global(model.hosts[2], mesh.clocks[2].at(5'000'000'000)));
  EXPECT_FALSE(solver.pairs(1, mesh.clocks[1].at(5'000'000'000))[4]);
  EXPECT_TRUE(solver.pairs(4, x)[5]);
  EXPECT_EQ(model.hosts[0].source, OffsetSource::None);
  EXPECT_EQ(model.hosts[3].source, OffsetSource::Probes);
}

TEST(GraphSolver, StaysRightThroughAStepOfOneHostsClock) {
  Mesh mesh = make_mesh(5, 5);
  mesh.clocks[3].steps = {{4'100'000'000, 3'000'000}};
  for (uint32_t a = 0; a < 5; ++a) {
    for (uint32_t b = a + 1; b < 5; ++b) connect(&mesh, a, b, between(mesh, a, b));
  }
  GraphSolver solver(mesh.names, mesh.edges, GraphOptions());
  const ClockModel& model = solver.solve();

  for (uint32_t h = 0; h < 5; ++h) {
    int64_t widest_ns = 0;
    for (int64_t true_ns = 1'000'000'000; true_ns < 9'000'000'000; true_ns += 3'300'001) {
      const auto global = model.to_global(model.hosts[h], mesh.clocks[h].at(true_ns));
      ASSERT_TRUE(global);
      const int64_t truth = mesh.clocks[0].at(true_ns);
      ASSERT_LE(global->lo_ns, truth + 1) << h << " at " << true_ns;
      ASSERT_GE(global->hi_ns, truth - 1) << h << " at " << true_ns;
      widest_ns = std::max(widest_ns, global->hi_ns - global->lo_ns);
    }
    EXPECT_EQ(widest_ns > 10'000, h == 3) << "only the stepping host loses precision; host " << h;
  }
}

TEST(GraphSolver, ReportsBoundsThatExcludeEachOtherAsACycle) {
  Mesh mesh = complete(4, 6);
  Mesh other = mesh;
  other.clocks[3].offset_ns += 1'000'000;  // edge 1-3 talks about another clock
  mesh.edges.erase(std::remove_if(mesh.edges.begin(), mesh.edges.end(),
                                  [](const GraphEdge& e) { return e.a == 1 && e.b == 3; }),
                   mesh.edges.end());
  connect(&mesh, 1, 3, between(other, 1, 3));
  GraphOptions options;
  // Hundreds of instants show it; each edge that is left out is one fault.
  options.knot_ns = 25'000'000;
  GraphSolver solver(mesh.names, mesh.edges, options);
  const ClockModel& model = solver.solve();

  ASSERT_FALSE(model.faults.empty());
  EXPECT_EQ(model.faults[0].kind, "negative_cycle");
  std::set<std::string> left_out;
  for (const ModelFault& fault : model.faults) {
    const std::string edge = fault.detail.substr(0, fault.detail.find(','));
    EXPECT_TRUE(left_out.insert(edge).second) << edge << " is reported again";
  }
  EXPECT_NE(model.faults[0].detail.find("of host101-host103"), std::string::npos)
      << model.faults[0].detail;
  const int64_t x = mesh.clocks[3].at(5'000'000'000);
  EXPECT_NEAR(double(model.to_global(model.hosts[3], x)->ns - mesh.clocks[0].at(5'000'000'000)), 0,
              200);
}

TEST(GraphSolver, TakesAnOffsetFromCoincidingEndsButNeverBeyondTheBounds) {
  Mesh mesh = complete(2, 7);
  const int64_t x = mesh.clocks[0].at(5'000'000'000), theta_ns = mesh.theta(0, 1, x);
  for (const int64_t off_ns : {300, -400, 50'000, -50'000}) {
    GraphEdge edge = mesh.edges[0];
    edge.source = OffsetSource::Collectives;
    edge.ends.add(LaterEnd::Either, x, x + theta_ns + off_ns);
    edge.ends.fit({}, 400, 10'000'000);
    GraphSolver solver(mesh.names, {edge}, GraphOptions());
    solver.solve();
    const auto answer = solver.pairs(0, x)[1];
    ASSERT_TRUE(answer);
    const int64_t wanted = std::clamp(theta_ns + off_ns, answer->lo_ns, answer->hi_ns);
    EXPECT_NEAR(double(answer->estimate_ns - wanted), 0, 5) << off_ns;
    EXPECT_LE(answer->lo_ns, theta_ns) << off_ns;
    EXPECT_GE(answer->hi_ns, theta_ns) << off_ns;
  }
}

}  // namespace
}  // namespace lockstep::clocksync
