#include "analysis/clock/probed.h"

#include <gtest/gtest.h>

#include "analysis/clock/align.h"
#include "test/unit/analysis/clock/run_dir.h"

namespace lockstep::analysis {
namespace {

Graded graded(uint64_t received, uint64_t lost, uint64_t heard_seconds, uint64_t of_seconds) {
  Probed probed;
  probed.windows = probed.ok_windows = of_seconds / 4;
  probed.received = received;
  probed.lost = lost;
  probed.heard_seconds = heard_seconds;
  probed.of_seconds = of_seconds;
  Graded result;
  grade_probing(probed, &result);
  return result;
}

TEST(Probed, IsGoodBelowOnePercentOfLoss) {
  EXPECT_EQ(graded(9'950, 50, 60, 60).grade, Grade::Good);
  const Graded lossy = graded(9'850, 150, 60, 60);
  EXPECT_EQ(lossy.grade, Grade::Usable);
  EXPECT_EQ(lossy.reason, "1.5 % of the probes were lost");
}

TEST(Probed, IsNotKnownWhereTooLittleWasMeasured) {
  const Graded few = graded(50, 20, 60, 60);
  EXPECT_EQ(few.grade, Grade::NotKnown) << "20 of 70 may be chance";
  EXPECT_EQ(few.reason, "not measured: loss (70 packets)");
  const Graded short_run = graded(1'000, 0, 1, 5);  // probing takes a second to begin
  EXPECT_EQ(short_run.grade, Grade::NotKnown);
  EXPECT_EQ(short_run.reason, "not measured: coverage (a run of 5 s)");
  EXPECT_EQ(graded(30, 0, 2, 3).reason,
            "not measured: windows (none ended), coverage (a run of 3 s), loss (30 packets)");
  EXPECT_EQ(graded(900, 100, 2, 3).grade, Grade::Usable) << "what was measured is worse";
}

TEST(Probed, IsGoodWhereNineTenthsOfALongRunAreCovered) {
  EXPECT_EQ(graded(1'000, 0, 55, 60).grade, Grade::Good);
  const Graded gap = graded(1'000, 0, 30, 60);
  EXPECT_EQ(gap.grade, Grade::Usable);
  EXPECT_EQ(gap.reason, "probes cover 50 % of the run");
}

// Each hears the other all the time but b in its last seconds.
ClockInput two_hosts() {
  ClockInput input;
  HeardOfPeer &a = input.heard[{"a", "b"}], &b = input.heard[{"b", "a"}];
  for (int64_t second = 100; second < 120; ++second) a.seconds.insert(second);
  for (int64_t second = 600; second < 615; ++second) b.seconds.insert(second);
  a.windows = a.ok_windows = 5;
  b.windows = 4;
  b.ok_windows = 3;
  a.received = 600;
  b.received = 430;
  b.lost = 20;
  return input;
}

TEST(Probed, AnEdgeHasThePacketsOfBothDirectionsAndTheWorseCoverage) {
  const ClockInput input = two_hosts();
  const RecordedSeconds recorded = {{"a", {100, 119}}, {"b", {600, 619}}};
  for (const auto& [one, other] : {std::make_pair("a", "b"), std::make_pair("b", "a")}) {
    const Probed edge = probed_edge(input, recorded, {one, other});
    EXPECT_EQ(edge.windows, 9u);
    EXPECT_EQ(edge.ok_windows, 8u);
    EXPECT_EQ(edge.received, 1'030u);
    EXPECT_EQ(edge.lost, 20u);
    EXPECT_EQ(edge.coverage_percent(), 75);
  }
  EXPECT_EQ(probed_host(input, recorded, "a").coverage_percent(), 100);
  EXPECT_EQ(probed_edge(input, {}, {"a", "b"}).coverage_percent(), 100)
      << "as long as it was heard";
}

TEST(Probed, ADirectionInWhichNothingWasHeardCoversNothing) {
  ClockInput input = two_hosts();
  input.heard.erase({"b", "a"});
  const RecordedSeconds recorded = {{"a", {100, 119}}, {"b", {600, 619}}};
  EXPECT_EQ(probed_edge(input, recorded, {"a", "b"}).coverage_percent(), 0);
}

TEST(Probed, EveryInterfaceIsAnEdgeAndTheBestOneCountsForTheHost) {
  ClockInput input = two_hosts();
  input.hosts["a"].first_interface = input.hosts["b"].first_interface = "eth0";
  HeardOfPeer& second = input.heard[{"b", "a", "eth1"}];
  second.received = 300;
  second.windows = second.ok_windows = 3;
  const Probed first_edge = probed_edge(input, {}, {"a", "b"});
  const Probed second_edge = probed_edge(input, {}, {"a", "b", "eth1"});
  EXPECT_EQ(first_edge.interface, "eth0");
  EXPECT_EQ(first_edge.received, 1'030u);
  EXPECT_EQ(second_edge.interface, "eth1");
  EXPECT_EQ(second_edge.received, 300u);
  const Probed host = probed_host(input, {}, "b");
  EXPECT_EQ(host.lost, 0u) << "eth1 lost nothing";
  EXPECT_EQ(host.received, 300u);
  EXPECT_EQ(host.heard_seconds, 15u) << "heard by either";
}

TEST(Probed, LowersTheGradeOfARunThatLostProbes) {
  const RunDir dir;
  const auto edge = simulate(clocksync::all_scenarios().front(), 1);
  dir.write_edge("a", "b", edge);
  HullBin bin;
  bin.peer = "a";
  bin.received = 900;
  bin.lost = 100;
  bin.bin = edge.bounds.upper.front().x_raw_ns / kHullBinNs;
  WindowStats window;
  window.peer = "a";
  window.status = "weak";
  dir.write("b", {bin, window});

  const Result<Alignment> aligned = align_run(dir.path(), AlignOptions());

  ASSERT_TRUE(aligned.ok());
  const Alignment& alignment = aligned.value();
  EXPECT_EQ(alignment.hosts[1].graded.reason,
            "10 % of the probes were lost; not measured: coverage (a run of 1 s)");
  EXPECT_EQ(alignment.hosts[1].graded.grade, Grade::Usable);
  EXPECT_EQ(alignment.edges[0].grade, Grade::Usable);
  EXPECT_EQ(alignment.probed_edges[0].windows, 1u);
  EXPECT_EQ(alignment.probed_edges[0].ok_windows, 0u);
  EXPECT_EQ(alignment.hosts[0].graded.grade, Grade::Good) << "the reference hears itself";
}

}  // namespace
}  // namespace lockstep::analysis
