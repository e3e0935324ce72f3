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

}  // namespace
}  // namespace lockstep::analysis
