#include "analysis/clock/align.h"

#include <gtest/gtest.h>

#include <fstream>

#include "analysis/relate/run_clock.h"
#include "clocksync/record/clock_files.h"
#include "test/simulation/simulated_edge.h"
#include "test/unit/analysis/clock/run_dir.h"

namespace lockstep::analysis {
namespace {

using clocksync::OffsetSource;
using clocksync::SimulatedEdge;

ClockHello hello(const std::string& host, const std::string& boot_id,
                 const std::string& clock_namespace) {
  ClockHello h;
  h.host = host;
  h.boot_id = boot_id;
  h.clock_namespace = clock_namespace;
  return h;
}

SimulatedEdge idle_edge() { return simulate(clocksync::all_scenarios().front(), 1); }

TEST(AlignRun, ReadsWhatTheProbersWroteAndGradesIt) {
  const RunDir dir;
  const SimulatedEdge edge = idle_edge();
  dir.write_edge("node-a", "node-b", edge);
  dir.write_good_probing("node-b", "node-a");

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok()) << aligned.message();
  EXPECT_EQ(aligned.value().model.reference, "node-a");
  ASSERT_EQ(aligned.value().pairs.size(), 1u);
  const PairView& pair = aligned.value().pairs[0];
  EXPECT_EQ(pair.a + pair.b, "node-anode-b");
  EXPECT_EQ(pair.source, OffsetSource::Probes);
  EXPECT_LE(pair.offset.lo_ns, edge.truth(pair.at_raw_ns));
  EXPECT_GE(pair.offset.hi_ns, edge.truth(pair.at_raw_ns));
  EXPECT_NEAR(double(pair.offset.estimate_ns - edge.truth(pair.at_raw_ns)), 0, 200);
  for (const HostView& host : aligned.value().hosts) {
    EXPECT_EQ(host.graded.grade, Grade::Good) << host.host << ": " << host.graded.reason;
  }
  EXPECT_TRUE(aligned.value().all_connected());
}

TEST(AlignRun, UsesEveryInterfaceAndIsAsGoodAsTheBest) {
  clocksync::SimulatedScenario fast = clocksync::all_scenarios().front();
  clocksync::SimulatedScenario slow = fast;
  slow.a_to_b.floor_ns = 900'000;
  slow.b_to_a.floor_ns = 300'000;
  const SimulatedEdge slow_edge = simulate(slow, 1), fast_edge = simulate(fast, 2);
  const RunDir alone, both;
  alone.write_edge("a", "b", fast_edge);
  both.write_edge("a", "b", slow_edge);
  both.write_edge("a", "b", fast_edge, "eth1");
  for (const auto& [host, peer] : {std::make_pair("a", "b"), std::make_pair("b", "a")})
    both.write_good_probing(host, peer, "eth1");

  const Result<Alignment> best = align_run(alone.path(), AlignOptions());
  const Result<Alignment> all = align_run(both.path(), AlignOptions());

  ASSERT_TRUE(best.ok() && all.ok());
  ASSERT_EQ(all.value().edges.size(), 2u);
  EXPECT_EQ(all.value().model.edges[0].interface, "");
  EXPECT_EQ(all.value().model.edges[1].interface, "eth1");
  EXPECT_EQ(all.value().edges[1].grade, Grade::Good);
  const PairView &pair = all.value().pairs.at(0), &of_best = best.value().pairs.at(0);
  const int64_t truth = fast_edge.truth(pair.at_raw_ns);
  EXPECT_LE(pair.offset.lo_ns, truth);
  EXPECT_GE(pair.offset.hi_ns, truth);
  EXPECT_LE(pair.offset.hi_ns - pair.offset.lo_ns, of_best.offset.hi_ns - of_best.offset.lo_ns + 4);
  EXPECT_NEAR(double(pair.offset.estimate_ns - truth), 0, 200) << "the slow way errs by 300 us";
  EXPECT_EQ(all.value().hosts[1].graded.grade, Grade::Good) << all.value().hosts[1].graded.reason;
}

TEST(AlignRun, AnswersForTheInstantThatWasAsked) {
  const RunDir dir;
  const SimulatedEdge edge = idle_edge();
  dir.write_edge("a", "b", edge);
  AlignOptions options;
  options.at_raw_ns = edge.bounds.upper.front().x_raw_ns + 3'000'000'000;

  const Result<Alignment> aligned = align_run(dir.path(), options);

  ASSERT_TRUE(aligned.ok());
  EXPECT_EQ(aligned.value().pairs.at(0).at_raw_ns, *options.at_raw_ns);
  EXPECT_NEAR(double(aligned.value().pairs[0].offset.estimate_ns - edge.truth(*options.at_raw_ns)),
              0, 200);
}

TEST(AlignRun, TakesContainersOfOneHostForOneClockButNotTimeNamespaces) {
  const RunDir dir;
  ClockSnapshot normal, shifted;
  normal.real_ns = 1'700'000'000'000'000'000;
  normal.raw_ns = 1'000'000'000;
  shifted = normal;
  shifted.raw_ns += 500'000'000'000;
  dir.write("a", {hello("a", "boot-1", "time:[1]"), normal});
  dir.write("b", {hello("b", "boot-1", "time:[1]"), normal});
  dir.write("c", {hello("c", "boot-1", "time:[2]"), shifted});
  dir.write("d", {hello("d", "boot-2", "time:[1]"), normal});

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  const auto& hosts = aligned.value().hosts;
  ASSERT_EQ(hosts.size(), 4u);
  EXPECT_TRUE(hosts[0].connected && hosts[1].connected);
  EXPECT_EQ(hosts[1].source, OffsetSource::SameHost);
  // Also after days: nothing drifts there.
  const clocksync::ClockModel& model = aligned.value().model;
  const int64_t day_ns = 86'400'000'000'000;
  for (const char* host : {"a", "b"}) {
    const auto time = model.to_global(*model.find(host), 3 * day_ns);
    ASSERT_TRUE(time.has_value());
    EXPECT_EQ(time->ns, 3 * day_ns);
    EXPECT_LE(time->hi_ns - time->lo_ns, 10);
  }
  EXPECT_FALSE(hosts[2].connected);
  EXPECT_FALSE(hosts[3].connected);
  EXPECT_EQ(hosts[3].graded.grade, Grade::Bad);
  EXPECT_NE(hosts[3].graded.reason.find("nothing connects"), std::string::npos);
  EXPECT_FALSE(aligned.value().all_connected());
}

TEST(AlignRun, TakesTheLargestDriftThatAnyHostDeclared) {
  const RunDir dir;
  ClockHello declared = hello("a", "boot-1", "");
  declared.config = {{"clock_d_ns_s2", "700", "env"}, {"clock_rho_ppm", "300", "env"}};
  dir.write("a", {declared});
  dir.write_edge("a", "b", idle_edge());

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  EXPECT_EQ(aligned.value().model.d_ns_s2, 700);
  EXPECT_EQ(aligned.value().model.max_slope_ppm, 600);
}

// A run of a and b in which a declares the asymmetry.
Alignment aligned_with(const SimulatedEdge& edge, const char* asymmetry_ns) {
  const RunDir dir;
  ClockHello declared = hello("a", "boot-1", "");
  declared.config = {{"clock_asym_ns", asymmetry_ns, "env"}};
  dir.write("a", {declared});
  dir.write_edge("a", "b", edge);
  auto aligned = align_run(dir.path(), AlignOptions());
  EXPECT_TRUE(aligned.ok());
  return std::move(aligned.value());
}

bool contains(const clocksync::PairOffset& interval, int64_t truth_ns) {
  return interval.lo_ns <= truth_ns && truth_ns <= interval.hi_ns;
}

TEST(AlignRun, NarrowsTheIntervalUnderADeclaredAsymmetryAndKeepsTheGuarantee) {
  const SimulatedEdge edge = idle_edge();
  EXPECT_FALSE(aligned_with(edge, "").pairs.at(0).conditional);
  const Alignment aligned = aligned_with(edge, "300");
  const PairView& pair = aligned.pairs.at(0);
  ASSERT_TRUE(pair.conditional);
  const int64_t truth = edge.truth(pair.at_raw_ns);
  EXPECT_TRUE(contains(pair.offset, truth));
  EXPECT_TRUE(contains(*pair.conditional, truth));
  EXPECT_LT(2 * (pair.conditional->hi_ns - pair.conditional->lo_ns),
            pair.offset.hi_ns - pair.offset.lo_ns);
  EXPECT_EQ(pair.offset.lo_ns, aligned_with(edge, "").pairs.at(0).offset.lo_ns);
}

// 20 us more in one direction, and the declaration of 300 ns is false: only the guarantee holds.
TEST(AlignRun, GuaranteesWithoutTheDeclaration) {
  for (const clocksync::SimulatedScenario& scenario : clocksync::all_scenarios()) {
    if (scenario.name.find("asymm") == std::string::npos) continue;
    const SimulatedEdge edge = simulate(scenario, 1);
    const Alignment falsely = aligned_with(edge, "300"), truly = aligned_with(edge, "40000");
    const PairView& pair = falsely.pairs.at(0);
    const int64_t truth = edge.truth(pair.at_raw_ns);
    EXPECT_TRUE(contains(pair.offset, truth));
    EXPECT_FALSE(contains(*pair.conditional, truth));
    EXPECT_TRUE(contains(*truly.pairs.at(0).conditional, truth));
    return;
  }
  FAIL() << "no scenario with an asymmetric path";
}

TEST(AlignRun, CallsAnEdgeWithOneSilentDirectionBadAndSaysWhy) {
  const RunDir dir;
  SimulatedEdge edge = idle_edge();
  edge.bounds.lower.clear();
  dir.write_edge("a", "b", edge);

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  ASSERT_EQ(aligned.value().edges.size(), 1u);
  EXPECT_EQ(aligned.value().edges[0].grade, Grade::Bad);
  EXPECT_EQ(aligned.value().edges[0].reason, "no packets in one direction");
  EXPECT_FALSE(aligned.value().all_connected());
}

TEST(AlignRun, NamesDamagedLinesAndGoesOn) {
  const RunDir dir;
  dir.write_edge("a", "b", idle_edge());
  std::ofstream(dir.path() + "/b.clock", std::ios::app) << "what is this\n";

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  ASSERT_EQ(aligned.value().notes.size(), 1u);
  EXPECT_NE(aligned.value().notes[0].find("b.clock"), std::string::npos);
  EXPECT_TRUE(aligned.value().all_connected());
}

TEST(AlignRun, RefusesADirectoryWithoutAnythingToAlign) {
  const RunDir dir;
  EXPECT_FALSE(align_run(dir.path(), AlignOptions()).ok());
  EXPECT_FALSE(align_run(dir.path() + "/none", AlignOptions()).ok());
}

}  // namespace
}  // namespace lockstep::analysis
