#include "clocksync/probe/receive_log.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

TEST(ReceiveLog, CountsLossButNotReordering) {
  ReceiveLog log(64, 2'500'000'000);
  Packet packet;
  for (uint64_t sequence : {1u, 2u, 5u, 4u, 9u}) {
    packet.sequence = sequence;
    log.received(packet, {1000, 0}, StampKind::Kernel);
  }
  log.take_bins("p", 0);
  EXPECT_EQ(log.totals().lost, 4u);
  EXPECT_EQ(log.totals().received, 5u);
}

}  // namespace
}  // namespace lockstep::clocksync
