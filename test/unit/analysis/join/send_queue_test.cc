// How long the network works on sends that wait behind each other.
#include "analysis/join/send_queue.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

TEST(SendQueue, ASendAloneTakesItsWholeTime) {
  SendQueue queue;
  queue.send(1, 100);
  EXPECT_EQ(queue.acknowledge(1, 150), 50);
  queue.send(2, 200);
  EXPECT_EQ(queue.acknowledge(2, 260), 60);
  EXPECT_EQ(queue.acknowledge(3, 300), 0) << "never sent";
}

TEST(SendQueue, SendsOfOneBurstWaitForEachOther) {
  SendQueue queue;
  for (uint32_t step = 1; step <= 3; ++step) queue.send(step, 100);
  for (uint32_t step = 1; step <= 3; ++step)
    EXPECT_EQ(queue.acknowledge(step, 100 + step * 40), 40);
}

TEST(SendQueue, WhatOvertakesASendWasNotInFrontOfIt) {
  SendQueue queue;
  queue.send(1, 100);  // over a slow link
  queue.send(2, 110);
  queue.send(3, 120);
  EXPECT_EQ(queue.acknowledge(3, 150), 30);
  EXPECT_EQ(queue.acknowledge(2, 160), 50);
  EXPECT_EQ(queue.acknowledge(1, 400), 300);
  queue.send(4, 410);
  EXPECT_EQ(queue.acknowledge(4, 450), 40);
}

TEST(SendQueue, WhatWasInFrontOfOneThatIsStillSentIsInFrontOfThoseBehindItAsWell) {
  SendQueue queue;
  queue.send(1, 100);
  queue.send(2, 100);
  queue.send(3, 100);
  EXPECT_EQ(queue.acknowledge(1, 140), 40);
  EXPECT_EQ(queue.acknowledge(3, 180), 40);
  EXPECT_EQ(queue.acknowledge(2, 200), 60);
}

TEST(SendQueue, ForgetsASendWhoseEndIsLost) {
  SendQueue queue;
  queue.send(1, 100);
  queue.send(2, 110);
  queue.forget(1);
  EXPECT_EQ(queue.acknowledge(2, 150), 40);
}

}  // namespace
}  // namespace lockstep::analysis
