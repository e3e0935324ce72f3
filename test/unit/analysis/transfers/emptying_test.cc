// How long a receiver's GPU takes to empty a buffer.
#include "analysis/transfers/emptying.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// Of 40 steps 20 are receives, which waited 2 ms for the GPU in all, 100 us each.
OperationRow receiver() {
  OperationRow row;
  row.steps = 40;
  row.send_steps = 20;
  row.gpu_wait_ns = 5'000'000;
  row.send_gpu_wait_ns = 3'000'000;
  row.channels_mask = 1;
  return row;
}

TEST(Emptying, IsTheMeanOverAllThatIsReceived) { EXPECT_EQ(emptying_ns(receiver(), 0), 100'000); }

TEST(Emptying, IsNotKnownWithoutSteps) {
  OperationRow row = receiver();
  row.send_steps = row.steps;
  EXPECT_EQ(emptying_ns(row, 0), kNoTime);
}

// Eight buffers are full by then.
TEST(Emptying, IsNotWhatWaitedForALateKernel) {
  EXPECT_EQ(emptying_ns(receiver(), 50'000), (2'000'000 - 8 * 50'000) / 20);
  EXPECT_EQ(emptying_ns(receiver(), 500'000), 0);
}

TEST(Emptying, CountsTheBuffersOfAllChannels) {
  OperationRow row = receiver();
  row.channels_mask = 0b101;
  EXPECT_EQ(emptying_ns(row, 50'000), (2'000'000 - 16 * 50'000) / 20);
}

TEST(Emptying, CountsNoMoreBuffersThanWereReceived) {
  OperationRow row = receiver();
  row.channels_mask = 0b111;
  EXPECT_EQ(emptying_ns(row, 50'000), (2'000'000 - 20 * 50'000) / 20);
}

}  // namespace
}  // namespace lockstep::analysis
