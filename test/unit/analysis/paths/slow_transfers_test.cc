// What is usual among the edges of rings, and what a slow one makes of others.
#include <gtest/gtest.h>

#include "test/unit/analysis/paths/played_ring.h"

namespace lockstep::analysis {
namespace {

// Three hosts of two ranks. Rank 1 sees 300 us late that its network steps have come, so that each seems to take as much
// longer, and its receiver to be done before rank 1 has sent: what others are done later than their senders is no lag.
TEST(SlowTransfers, TakeNoLagForUsualThatALateSenderMakes) {
  constexpr uint64_t kLateNs = 300 * kUs;
  Ring ring(6);
  ring.link_ns[1] += kLateNs;
  ring.steps = 20;
  Ends ends = play(ring);
  ends.sent_ns[1] += kLateNs;
  const Judged judged =
      judge_ends(ring, 2, Course(), [&](unsigned) -> const Ends& { return ends; });
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text() << judged.text(1);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
}

// All wait for a slow link: who waits least, as on a channel that does not use it, has no slow proxy thread for that.
TEST(SlowTransfers, OverALinkMakeNobodyElseSlowWhoHardlyWaits) {
  for (const bool slow : {true, false}) {
    Judged first = judge_ring(ring_of_eight(slow), 2);
    for (OperationRow& row : first.run->operations)
      row.receive_wait_ns = row.rank == 4 ? kMs : 40 * kMs;
    const Judged judged(std::move(first.run));
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
    EXPECT_EQ(judged.findings[0].kind, slow ? FindingKind::SlowLink : FindingKind::SlowProxy);
    EXPECT_EQ(judged.findings[0].culprits, Ranks{slow ? 1 : 4}) << judged.text();
  }
}

// Two hosts of two ranks, of which the first is done 300 us after its sender. In most operations a late start hides that on
// one of the two ways, so that the other seems longer.
TEST(SlowTransfers, AreNoneBetweenTwoHostsWhereTheOtherWayMayTakeAsLong) {
  Ends usual, traced;
  usual.received_ns = {1'000 * kUs, 700 * kUs, 1'000 * kUs, 700 * kUs};
  traced.received_ns = {1'000 * kUs, 700 * kUs, 1'000 * kUs, 1'000 * kUs};
  usual.sent_ns = traced.sent_ns = std::vector<uint64_t>(4, 950 * kUs);
  const auto judged_of = [&](unsigned traced_of_nine) {
    return judge_ends(Ring(4), 2, Course(), [&](unsigned i) -> const Ends& {
      return i % 9 < traced_of_nine ? traced : usual;
    });
  };
  EXPECT_TRUE(judged_of(5).findings.empty()) << judged_of(5).text();
  EXPECT_EQ(judged_of(9).findings.size(), 1u) << "then the other is slow";
}

}  // namespace
}  // namespace lockstep::analysis
