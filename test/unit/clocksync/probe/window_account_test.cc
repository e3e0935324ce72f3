#include "clocksync/probe/window_account.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

PeerTotals totals(uint64_t received, uint64_t lost, uint64_t sent) {
  PeerTotals totals;
  totals.receptions.received = received;
  totals.receptions.lost = lost;
  totals.sent = sent;
  return totals;
}

TEST(WindowAccount, ClosesWithWhatHappenedSinceTheLastClose) {
  WindowAccount account(100);
  EXPECT_TRUE(account.first());
  PeerTotals now = totals(50, 2, 60);
  now.rejected.bad_mac = 3;
  const WindowStats first = account.close(now, PeerWindow::Estimate(), false, 4100);
  EXPECT_EQ(first.window_id, 0u);
  EXPECT_EQ(first.start_raw_ns, 100);
  EXPECT_EQ(first.end_raw_ns, 4100);
  EXPECT_EQ(first.received, 50u);
  EXPECT_EQ(first.dropped_auth, 3u);
  EXPECT_EQ(first.status, "ok");
  EXPECT_FALSE(account.first());

  now = totals(70, 3, 90);
  now.rejected.bad_mac = 3;
  now.rejected.truncated = 4;
  const WindowStats second = account.close(now, PeerWindow::Estimate(), false, 8100);
  EXPECT_EQ(second.window_id, 1u);
  EXPECT_EQ(second.start_raw_ns, 4100);
  EXPECT_EQ(second.received, 20u);
  EXPECT_EQ(second.lost, 1u);
  EXPECT_EQ(second.sent, 30u);
  EXPECT_EQ(second.dropped_auth, 0u);
  EXPECT_EQ(second.dropped_malformed, 4u);
}

TEST(WindowAccount, CountsANewSessionFromZero) {
  WindowAccount account(0);
  account.close(totals(500, 0, 500), std::nullopt, false, 1);
  account.session_began();
  EXPECT_EQ(account.close(totals(7, 0, 510), std::nullopt, false, 2).received, 7u);
}

TEST(WindowAccount, SaysWhyAWindowIsWeakOrFailed) {
  const PeerWindow::Estimate some;
  EXPECT_EQ(WindowAccount(0).close(totals(0, 0, 9), std::nullopt, false, 1).reason, "no packets");
  EXPECT_EQ(WindowAccount(0).close(totals(5, 0, 9), std::nullopt, true, 1).status, "failed");
  const WindowStats lossy = WindowAccount(0).close(totals(7, 3, 9), some, true, 1);
  EXPECT_EQ(lossy.status, "weak");
  EXPECT_EQ(lossy.reason, "many packets lost");
  const WindowStats slowed = WindowAccount(0).close(totals(9, 1, 9), some, true, 1);
  EXPECT_EQ(slowed.status, "weak");
  EXPECT_EQ(slowed.reason, "slowed down by the cpu or packet cap");
}

}  // namespace
}  // namespace lockstep::clocksync
