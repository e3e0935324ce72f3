#include "clocksync/probe/send_log.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

TEST(SendLog, RefusesAKernelStampFromBeforeThePacketExisted) {
  SendLog log(16, 3);
  log.sent(1000, true);
  EXPECT_FALSE(log.kernel_stamp(1, {990, 5}));
  EXPECT_EQ(log.find(1)->kind, StampKind::Application);
  log.sent(2000, true);
  EXPECT_TRUE(log.kernel_stamp(2, {1999, 5}));
  EXPECT_FALSE(log.kernel_stamp(7, {9000, 5}));
}

}  // namespace
}  // namespace lockstep::clocksync
