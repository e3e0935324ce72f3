// Which proxy threads and sends stand out by the states of their network steps.
#include "analysis/judge/slow_paths.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

struct States {
  int64_t gpu_wait_ns = 0, receive_wait_ns = 0, network_ns = 0, sending_ns = 0;
  uint32_t transfers = 4;
};

// Operations of ranks on a host each, all alike.
std::vector<SlowPath> judge(const std::vector<States>& ranks) {
  RunTables run;
  const Text func = run.strings.intern("AllReduce");
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    run.processes.emplace_back();
    run.processes.back().host = run.strings.intern("node" + std::to_string(rank));
    for (uint32_t i = 1; i <= 20; ++i) {
      OperationRow row;
      row.process = rank;
      row.rank = static_cast<int32_t>(rank);
      row.communicator = 0;
      row.func = func;
      row.ordinal = i;
      row.match = i;
      row.proxy_ops = ranks[rank].transfers;
      row.steps = 4;
      row.enqueue_ns = i * 100 * kMs;
      row.finish_ns = row.enqueue_ns + 20 * kMs;
      row.gpu_wait_ns = ranks[rank].gpu_wait_ns;
      row.receive_wait_ns = ranks[rank].receive_wait_ns;
      row.network_ns = ranks[rank].network_ns;
      row.sending_ns = ranks[rank].sending_ns;
      run.operations.push_back(row);
    }
  }
  return find_slow_paths(run, {});
}

constexpr States kWaits{40 * kMs, 40 * kMs, 1 * kMs};

TEST(SlowPaths, NameTheProxyThreadWhoseStepsAreInNoState) {
  const std::vector<SlowPath> paths = judge({kWaits, kWaits, {kMs, kMs, kMs}, kWaits});
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].cause, Cause::ProxyStarved);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{2});
  EXPECT_TRUE(paths[0].never_waits);
}

// Of edges that are alike one is the bottleneck by chance: its sender always has something in the network.
TEST(SlowPaths, DoNotTakeTheNetworkForAProxyThread) {
  constexpr States kSends{10 * kMs, 40 * kMs, 31 * kMs};
  EXPECT_TRUE(judge({kSends, kWaits, {2 * kMs, 2 * kMs, 70 * kMs}, kSends}).empty());
}

TEST(SlowPaths, NameTheRankWhoseSendsTakeLong) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs};
  const std::vector<SlowPath> paths =
      judge({kSends, {5 * kMs, 5 * kMs, 18 * kMs, 18 * kMs}, kSends, kSends});
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].cause, Cause::NetworkSlow);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{1});
}

TEST(SlowPaths, CompareNoSendsWithThoseOfRanksThatSendNothing) {
  constexpr States kIdle{10 * kMs, 10 * kMs, 0, 0};
  EXPECT_TRUE(judge({kIdle, {5 * kMs, 5 * kMs, 18 * kMs, 18 * kMs}, kIdle, kIdle}).empty());
}

// Of an all-to-all, alone on its host among its peers.
TEST(SlowPaths, CompareNoSendsWithThoseOfRanksThatHaveFewerPeersOnOtherHosts) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs};
  const States slow{5 * kMs, 5 * kMs, 18 * kMs, 18 * kMs, 10};
  EXPECT_TRUE(judge({kSends, slow, kSends, kSends}).empty());
}

// What is sent in one burst waits for itself in the network, which is no slower for that.
TEST(SlowPaths, DoNotTakeABurstForASlowLink) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs};
  EXPECT_TRUE(judge({kSends, {5 * kMs, 5 * kMs, 40 * kMs, 5 * kMs}, kSends, kSends}).empty());
}

}  // namespace
}  // namespace lockstep::analysis
