// The replay: what a run would gain without somebody's lateness, from tables laid out by hand.
#include "analysis/whatif/what_if.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/laid_out_run.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

int64_t gain_without(const LaidOutRun& laid, uint32_t rank) {
  std::vector<uint8_t> cured(laid.own.actors.size());
  cured[rank] = 1;
  return WhatIf(laid.run, laid.own, laid.own_excess_ns).gain_ns(cured);
}

TEST(WhatIf, GainsWhatALateRankCostsThoseWhoSendToItAndReceiveInOneKernel) {
  LaidOutRun laid(3);
  laid.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 1 sends to rank 2, which is 100 ms late, and receives from rank 0, in one kernel.
  laid.operation({{1, 10 * kMs, 120 * kMs, 7}, {2, 110 * kMs, 120 * kMs}});
  laid.operation({{0, 10 * kMs, 12 * kMs}, {1, 10 * kMs, 120 * kMs, 7}});
  laid.operation({{0, 20 * kMs, 130 * kMs}, {1, 125 * kMs, 130 * kMs}, {2, 125 * kMs, 130 * kMs}});
  laid.finish();
  laid.own_excess_ns[laid.arrival(1, 2)] = 100 * kMs;
  EXPECT_EQ(gain_without(laid, 2), 100 * kMs);
  EXPECT_EQ(gain_without(laid, 0), 0);
}

TEST(WhatIf, LetsAKernelWaitForWhoIsLastOnceTheLateOneIsCured) {
  LaidOutRun laid(3);
  laid.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 0 is late too, by 40 ms: of the 100 ms rank 2 alone gains 60.
  laid.operation({{1, 10 * kMs, 120 * kMs, 7}, {2, 110 * kMs, 120 * kMs}});
  laid.operation({{0, 50 * kMs, 52 * kMs}, {1, 10 * kMs, 120 * kMs, 7}});
  laid.operation({{0, 60 * kMs, 130 * kMs}, {1, 125 * kMs, 130 * kMs}, {2, 125 * kMs, 130 * kMs}});
  laid.finish();
  laid.own_excess_ns[laid.arrival(1, 2)] = 100 * kMs;
  EXPECT_EQ(gain_without(laid, 2), 60 * kMs);
}

// Rank 1 sends to rank 2 and receives from rank 0 in one kernel, 100 ms late: it is the receiver that waits.
TEST(WhatIf, FindsWhoWaitsInAnotherOperationOfTheKernel) {
  LaidOutRun laid(3);
  laid.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  laid.operation({{1, 110 * kMs, 115 * kMs, 7}, {2, 10 * kMs, 112 * kMs}});
  laid.operation({{0, 109 * kMs, 116 * kMs}, {1, 110 * kMs, 115 * kMs, 7}});
  laid.finish();
  for (const uint32_t match : {1u, 2u}) laid.own_excess_ns[laid.arrival(match, 1)] = 100 * kMs;
  WhatIf what_if(laid.run, laid.own, laid.own_excess_ns);
  const std::vector<PathPiece> path = what_if.critical_path({0, 0, 0});
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().arrival, laid.arrival(2, 1)) << "what it receives";
  EXPECT_EQ(path.back().waited_ns, 100 * kMs);
}

}  // namespace
}  // namespace lockstep::analysis
