// Why a link or a proxy thread is slow, by what its host counted.
#include "analysis/why/why_slow.h"

#include "clocksync/record/clock_model.h"
#include "test/unit/analysis/why/sampled_run.h"

namespace lockstep::analysis {
namespace {

class WhySlow : public SampledRun {
 protected:
  WhySlow() {
    windows_.clear();
    finding_.kind = FindingKind::SlowLink;
    finding_.facts = PathFacts();
    finding_.culprits = {4};
  }
  // Round trips that the clock's probes saw; rank 4, which is accused, is on node8.
  void probed(std::vector<clocksync::EdgeReport> edges) {
    auto model = std::make_shared<clocksync::ClockModel>();
    model->edges = std::move(edges);
    run_.clock_model = std::move(model);
  }
  static clocksync::EdgeReport edge(const char* a, const char* b, int64_t round_trip_ns) {
    clocksync::EdgeReport report;
    report.a = a;
    report.b = b;
    report.floor_width_ns = round_trip_ns;
    return report;
  }
  WhyFacts answer() {
    samples().finish();
    return why_slow(run_, finding_, samples());
  }
};

TEST_F(WhySlow, LinkErrorsOfThePortThatCountedThem) {
  runnable(1, "node8");
  counter("node8", "mlx5_0", 1, "symbol_error", 700);
  counter("node8", "mlx5_0", 2, "symbol_error", 20);
  counter("node7", "mlx5_0", 1, "symbol_error", 3);
  const WhyFacts got = answer();
  EXPECT_EQ(got.why, Why::LinkErrors);
  ASSERT_FALSE(got.seen.empty());
  EXPECT_EQ(got.seen[0].where, "mlx5_0 symbol_error");
  EXPECT_EQ(got.seen[0].port, 1u);
  EXPECT_EQ(got.seen[0].amount, 700);
  EXPECT_EQ(got.seen[0].others, 3);
}

TEST_F(WhySlow, RetransmitsWhereItsHostSentMuchMoreAgain) {
  runnable(1, "node8");
  counter("node8", "tcp", 0, "retransmitted_segments", 300);
  counter("node8", "tcp", 0, "out_segments", 10'000);
  counter("node7", "tcp", 0, "retransmitted_segments", 3);
  counter("node7", "tcp", 0, "out_segments", 10'000);
  const WhyFacts got = answer();
  EXPECT_EQ(got.why, Why::Retransmits);
  EXPECT_EQ(got.seen[0].amount, 300);
  EXPECT_EQ(got.seen[0].of, 10'300) << "the kernel does not count the 300 among those sent";
}

TEST_F(WhySlow, NothingThatAHostCountsWhereAllRanksAreOnIt) {
  for (ProcessRow& process : run_.processes) process.host = run_.processes.back().host;
  runnable(1, "node8");
  counter("node8", "mlx5_0", 1, "symbol_error", 700);
  counter("node8", "tcp", 0, "retransmitted_segments", 300);
  counter("node8", "tcp", 0, "out_segments", 10'000);
  EXPECT_EQ(answer().why, Why::OwnCode);
}

TEST_F(WhySlow, NeitherWhereAnotherHostHasNearlyAsMany) {
  runnable(1, "node8");
  for (const char* host : {"node7", "node8"}) {
    counter(host, "mlx5_0", 1, "symbol_error", 700);
    counter(host, "tcp", 0, "retransmitted_segments", 300);
    counter(host, "tcp", 0, "out_segments", 10'000);
  }
  EXPECT_EQ(answer().why, Why::OwnCode);
}

TEST_F(WhySlow, DelayWherePacketsTakeLongerToItsHostThanBetweenOthers) {
  probed({edge("node6", "node7", 100'000), edge("node6", "node8", 5'000'000),
          edge("node7", "node8", 5'100'000)});
  const WhyFacts got = answer();
  EXPECT_EQ(got.why, Why::Delay) << "also where nothing was sampled";
  ASSERT_FALSE(got.seen.empty());
  EXPECT_EQ(got.seen[0].what, WhySeen::What::RoundTrip);
  EXPECT_EQ(got.seen[0].amount, 5'000'000);
  EXPECT_EQ(got.seen[0].others, 100'000);
}

TEST_F(WhySlow, NoDelayWhereOtherHostsAreAsFar) {
  runnable(1, "node8");
  probed({edge("node6", "node7", 4'000'000), edge("node6", "node8", 5'000'000),
          edge("node7", "node8", 5'100'000)});
  EXPECT_EQ(answer().why, Why::OwnCode);
}

TEST_F(WhySlow, NoDelayWhereOneOtherHostIsNear) {
  runnable(1, "node8");
  probed({edge("node6", "node7", 100'000), edge("node6", "node8", 5'000'000),
          edge("node7", "node8", 100'000)});
  EXPECT_EQ(answer().why, Why::OwnCode);
}

TEST_F(WhySlow, NoDelayOfTwoHostsOfWhichEitherMayBeFar) {
  runnable(1, "node8");
  probed({edge("node7", "node8", 5'000'000)});
  EXPECT_EQ(answer().why, Why::OwnCode);
}

TEST_F(WhySlow, LostPacketsRatherThanDelay) {
  runnable(1, "node8");
  probed({edge("node6", "node7", 100'000), edge("node6", "node8", 5'000'000)});
  counter("node8", "tcp", 0, "retransmitted_segments", 300);
  counter("node8", "tcp", 0, "out_segments", 10'000);
  const WhyFacts got = answer();
  EXPECT_EQ(got.why, Why::Retransmits);
  EXPECT_EQ(got.seen.front().what, WhySeen::What::Retransmits);
}

TEST_F(WhySlow, NotKnownWhereItsHostWasNotSampled) {
  runnable(1, "node7");
  EXPECT_EQ(answer().why, Why::NotKnown);
}

TEST_F(WhySlow, NoProcessorWhereAProxyThreadWaitedForOneInstead) {
  constexpr uint32_t kProxy = 900;
  finding_.culprits = {kCulprit};
  SlowColumn column;
  column.own_ns = 30 * kMs;
  column.others_ns = 10 * kMs;
  column.operations = 200;  // 4 s lost
  finding_.evidence.emplace_back(column);
  runnable(1);
  for (uint32_t process = 0; process < 4; ++process) {
    waits(process, 0, 0);
    waits(process, process == kCulprit ? 40 : 1, process == kCulprit ? 40 : 1, 8, kProxy + process);
  }
  for (const FindingKind kind : {FindingKind::SlowProxy, FindingKind::SlowLink}) {
    finding_.kind = kind;
    const WhyFacts got = answer();
    EXPECT_EQ(got.why, Why::NoProcessor);
    EXPECT_EQ(got.seen[0].of, 4000 * kMs);
    EXPECT_EQ(got.seen[0].amount, 3900 * kMs);
  }
}

}  // namespace
}  // namespace lockstep::analysis
