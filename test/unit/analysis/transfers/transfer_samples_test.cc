// What a recording shows of sends: from when both ranks had begun, and from when the sender had.
#include "analysis/transfers/transfer_samples.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kSends = 20;

// Rank 0 sends to rank 1, which begins 100 us later and has all 150 us after the sender began.
Judged late_receiver(int32_t ranks_of_a_host, bool network_operations) {
  return diagnose_hosts(2, ranks_of_a_host, kSends, [&](int32_t rank, unsigned i) {
    driver::RankOperation op;
    op.channels = 1;
    op.sequence = i;
    op.network_operations = network_operations;
    op.peer = 1 - rank;
    op.func = rank == 0 ? "Send" : "Recv";
    op.call_ns = 2'000 * kMs + i * kMs + (rank == 0 ? 0 : 100 * kUs);
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.finish_ns = 2'000 * kMs + i * kMs + 160 * kUs;
    return op;
  });
}

std::vector<PairSeries> pairs_of(const Judged& judged) {
  return sample_transfers(*judged.run, find_own_segments(*judged.run)).pairs;
}

TEST(TransferSamples, TimeASendFromWhenBothBeganAndFromWhenTheSenderDid) {
  for (const int32_t ranks_of_a_host : {1, 2}) {
    const std::vector<PairSeries> pairs = pairs_of(late_receiver(ranks_of_a_host, false));
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].alike.network, ranks_of_a_host == 1);
    EXPECT_EQ(pairs[0].alike.begin, Begin::Waited);
    ASSERT_GE(pairs[0].times.size(), kSends - 1);
    EXPECT_NEAR(double(pairs[0].times[5]), 50e3, 100);
    EXPECT_NEAR(double(pairs[0].whole[5]), 150e3, 100);
  }
}

// As where NCCL takes each of them for a node of its own.
TEST(TransferSamples, LeaveOutSendsOverTheNetworkInsideAHost) {
  EXPECT_EQ(pairs_of(late_receiver(1, true)).size(), 1u);
  EXPECT_TRUE(pairs_of(late_receiver(2, true)).empty());
}

}  // namespace
}  // namespace lockstep::analysis
