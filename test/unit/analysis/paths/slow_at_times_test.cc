// What is slow in some training steps only, or shows in several places at once.
#include <gtest/gtest.h>

#include "test/unit/analysis/paths/played_ring.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Steps of three all-reduces of different sizes. In one step of five the link from rank 3 is slow.
TEST(SlowAtTimes, NameALinkThatIsSlowInSomeStepsWhateverTheSize) {
  constexpr unsigned kSizes = 3, kSteps = 20;
  Ring ring(8);
  ring.link_ns[3] = 500 * kUs;
  const Ends slow = play(ring), healthy = play(Ring(8));
  Course course;
  course.times = kSizes * kSteps;
  course.sizes = kSizes;
  const Judged judged = judge_ends(ring, 2, course, [&](unsigned i) -> const Ends& {
    return i / kSizes % 5 == 3 ? slow : healthy;
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
}

// Hosts of one rank each. In one step of five both ways of rank 3 are slow; its way out shows that by nothing but that
// it sinks less than the others do.
TEST(SlowAtTimes, NameTheHostBothOfWhoseWaysAreSlow) {
  Ring ring(8);
  ring.link_ns[2] = ring.link_ns[3] = 500 * kUs;
  const Ends slow = play(ring), healthy = play(Ring(8));
  Course course;
  course.times = 60;
  const Judged judged = judge_ends(
      ring, 1, course, [&](unsigned i) -> const Ends& { return i / 3 % 5 == 3 ? slow : healthy; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
}

// Two hosts of two ranks. Each step rank 0 sends to 2 and rank 1 to 3, and then the ranks of each host reduce.
// Those of the second host take 20 ms instead of 1, and what rank 3 receives `send_ns`.
Judged judge_two_stages(uint64_t send_ns) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    const int32_t host = rank / 2, in_host = rank % 2;
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords world(1, 0xc0, rank, 4, pid, &run.strings);
    driver::RankRecords data(2, 0xd0 + static_cast<uint64_t>(host), in_host, 2, pid, &run.strings);
    world.init(1'000 * kMs);
    data.init(1'001 * kMs);
    for (unsigned i = 0; i < kTimes; ++i) {
      // The second host's reduction sets the pace: the first has come to the next send long before.
      const uint64_t received_from_ns = 2'000 * kMs + i * 30 * kMs;
      const uint64_t begun_ns = received_from_ns - (host == 0 && i > 0 ? 19 * kMs : 0);
      const uint64_t scatter = (i * 7 + static_cast<unsigned>(rank) * 3) % 5 * 100;
      driver::RankOperation op;
      op.func = host == 0 ? "Send" : "Recv";
      op.peer = (rank + 2) % 4;
      op.channels = 1;
      op.sequence = i;
      op.call_ns = begun_ns;
      op.kernel_ns = begun_ns + 10 * kUs;
      op.sent_ns = op.received_ns = op.finish_ns =
          received_from_ns + 10 * kUs + (in_host == 1 ? send_ns : kMs) + scatter;
      world.operation(op);
      op.func = "AllReduce";
      op.peer = 0;
      op.call_ns = received_from_ns + 9 * kMs;
      op.kernel_ns = op.call_ns + 10 * kUs;
      op.sent_ns = op.received_ns = 0;
      op.finish_ns = op.kernel_ns + (host == 0 ? 1 : 20) * kMs + scatter;
      data.operation(op);
    }
    run.add(pid, {&world.user, &world.proxy, &data.user, &data.proxy}, host_of(rank, 2));
  }
  align_hosts(run, 4, 2);
  return Judged(run.load());
}

TEST(SlowAtTimes, NameAllOfACommunicatorInsideAHostThatIsSlow) {
  const Judged judged = judge_two_stages(1 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{0, 1}));
  EXPECT_NE(judged.text().find("What connects their GPUs on host b is suspected"),
            std::string::npos)
      << judged.text();
}

TEST(SlowAtTimes, NameTheRankOfAHostWhoseOtherTransfersAreSlowToo) {
  const Judged judged = judge_two_stages(4 * kMs);
  ASSERT_FALSE(judged.findings.empty()) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink) << all_text(judged);
  EXPECT_EQ(judged.text().find("What rank 1 of"), 0u) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
