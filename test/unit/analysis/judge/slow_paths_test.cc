// Which proxy threads and sends stand out by the states of their network steps.
#include "analysis/judge/slow_paths.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

struct States {
  int64_t gpu_wait_ns = 0, receive_wait_ns = 0, network_ns = 0, sending_ns = 0;
  uint32_t transfers = 4;
  int64_t flush_ns = 0;
};

// Operations of ranks on a host each, all alike, of 4 KiB each; beside each another one of so many bytes, which takes all
// ranks as long.
std::vector<SlowPath> judge(const std::vector<States>& ranks, uint64_t beside_bytes = 0) {
  RunTables run;
  const Text beside = run.strings.intern("ReduceScatter");
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
      row.flush_ns = ranks[rank].flush_ns;
      row.sent_bytes = 4096;
      run.operations.push_back(row);
      if (beside_bytes == 0) continue;
      row.func = beside;
      row.sent_bytes = beside_bytes;
      row.network_ns = row.sending_ns = 30 * kMs;
      run.operations.push_back(row);
    }
  }
  return find_slow_paths(run, {});
}

constexpr States kWaits{40 * kMs, 40 * kMs, 1 * kMs};

TEST(SlowPaths, NameTheProxyThreadWhoseStepsAreInNoState) {
  const std::vector<SlowPath> paths = judge({kWaits, kWaits, {kMs, kMs, kMs}, kWaits});
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].cause(), Cause::ProxyStarved);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{2});
  EXPECT_TRUE(paths[0].never_waits());
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
  EXPECT_EQ(paths[0].cause(), Cause::NetworkSlow);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{1});
}

// They stand behind the rest in its adapter; a slow way would show in the rest.
TEST(SlowPaths, DoNotTakeOperationsOfFewBytesForASlowLinkBesideManyMore) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs};
  const States slow{5 * kMs, 5 * kMs, 18 * kMs, 18 * kMs};
  EXPECT_EQ(judge({kSends, slow, kSends, kSends}, 100 * 1024).size(), 1u);
  EXPECT_TRUE(judge({kSends, slow, kSends, kSends}, 1024 * 1024).empty());
}

// Which sees its sends complete late as well.
TEST(SlowPaths, NameTheProxyThreadThatTakesLongToComeRoundRatherThanItsSends) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs, 4, kMs / 100};
  const std::vector<SlowPath> paths =
      judge({kSends, {5 * kMs, 5 * kMs, 40 * kMs, 40 * kMs, 4, 2 * kMs}, kSends, kSends});
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].cause(), Cause::ProxyStarved);
  EXPECT_EQ(paths[0].column, SlowColumn::Name::Flush);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{1});
  EXPECT_EQ(paths[0].typical_ns, kMs / 2) << "of a step";
  EXPECT_EQ(paths[0].lost_ns, 20 * kMs / 2) << "of two milliseconds, over four network operations";
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

// Its steps take half as long again in an adapter that two ranks use at once.
TEST(SlowPaths, DoNotTakeAnAdapterThatTwoBurstsShareForASlowLink) {
  constexpr States kSends{10 * kMs, 10 * kMs, 5 * kMs, 5 * kMs};
  const States slow{5 * kMs, 5 * kMs, 40 * kMs, 8 * kMs};
  EXPECT_TRUE(judge({kSends, slow, kSends, kSends}).empty());
}

class SlowPathsOfSeveral : public testing::Test {
 protected:
  // Of one name, with a rank on each host.
  uint32_t communicator(const std::string& name, int32_t ranks) {
    CommunicatorRow& comm = run_.communicators.emplace_back();
    comm.name = run_.strings.intern(name);
    comm.nranks = ranks;
    comm.members = static_cast<uint32_t>(ranks);
    comm.first_member = static_cast<uint32_t>(run_.members.size());
    for (int32_t rank = 0; rank < ranks; ++rank) {
      MemberRow& member = run_.members.emplace_back();
      member.communicator = static_cast<uint32_t>(run_.communicators.size() - 1);
      member.rank = rank;
      member.process = static_cast<uint32_t>(run_.processes.size());
      run_.processes.emplace_back().host = run_.strings.intern("node" + std::to_string(rank));
    }
    return static_cast<uint32_t>(run_.communicators.size() - 1);
  }

  // 20 operations of one rank, like this one.
  void record(uint32_t communicator, int32_t rank, const std::string& func, OperationRow row) {
    row.communicator = communicator;
    row.rank = rank;
    row.process =
        run_.members[run_.communicators[communicator].first_member + static_cast<uint32_t>(rank)]
            .process;
    row.func = run_.strings.intern(func);
    row.proxy_ops = 1;
    for (uint32_t i = 1; i <= 20; ++i) {
      row.ordinal = i;
      run_.operations.push_back(row);
    }
  }
  void receive(uint32_t communicator, int32_t rank, int64_t lag_ns) {
    OperationRow row;
    row.proxy_lag_ns = lag_ns;
    record(communicator, rank, "Recv", row);
  }

  std::vector<SlowPath> find() { return find_slow_paths(run_, {}); }

  RunTables run_;
};

// The last stage of each pipeline posts its receives long before there is anything to receive.
TEST_F(SlowPathsOfSeveral, DoNotTakeTheLastStageOfAPipelineForASlowProxyThread) {
  for (int pipeline = 0; pipeline < 3; ++pipeline) {
    const uint32_t pp = communicator("pp", 4);
    for (int32_t stage = 0; stage < 4; ++stage) receive(pp, stage, stage == 3 ? 2 * kMs : kMs / 50);
  }
  EXPECT_TRUE(find().empty());
}

TEST_F(SlowPathsOfSeveral, NameTheProxyThreadThatReactsSlowerThanThoseOfItsStage) {
  for (int pipeline = 0; pipeline < 3; ++pipeline) {
    const uint32_t pp = communicator("pp", 4);
    const bool sick = pipeline == 1;
    receive(pp, 0, kMs / 50);
    receive(pp, 1, sick ? 3 * kMs : kMs / 3);
    receive(pp, 2, kMs / 3);
    receive(pp, 3, sick ? 4 * kMs : 2 * kMs);
  }
  const std::vector<SlowPath> paths = find();
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].cause(), Cause::ProxyStarved);
  EXPECT_EQ(paths[0].communicator, 1u);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{1});
  EXPECT_EQ(paths[0].others_ns, kMs / 3);
}

TEST_F(SlowPathsOfSeveral, AreOneWhereAllSendsOfAHostAreSlow) {
  for (int group = 0; group < 2; ++group) {
    const uint32_t dp = communicator("dp", 4);
    for (int32_t rank = 0; rank < 4; ++rank) {
      OperationRow row;
      row.steps = 4;
      row.network_ns = row.sending_ns = rank == 2 ? (60 - group) * kMs : 5 * kMs;
      record(dp, rank, "AllReduce", row);
    }
  }
  const std::vector<SlowPath> paths = find();
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].ranks, std::vector<int32_t>{2});
  EXPECT_EQ(paths[0].elsewhere, std::vector<uint32_t>{6});
  EXPECT_EQ(paths[0].processes, (std::vector<uint32_t>{2, 6}));
}

// Rank 0 shares its host with three more that send at the same time, if `together`; ranks 1 to 3 are alone on theirs. Each
// sends to a host that receives nothing else, and the network takes 20 ms for a send of rank 0 and 5 ms for others.
bool is_slow_in_proportion(bool together) {
  RunTables run;
  OwnSegments own;
  const Text send = run.strings.intern("Send"), recv = run.strings.intern("Recv");
  const auto process_on = [&](const std::string& host) {
    run.processes.emplace_back().host = run.strings.intern(host);
    return static_cast<uint32_t>(run.processes.size() - 1);
  };
  const auto transfer = [&](uint32_t communicator, int32_t rank, const std::string& from,
                            int64_t begin_ns, int64_t took_ns) {
    MatchRow& match = run.matches.emplace_back();
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = 2;
    match.comparable = 1;
    match.size_bytes = 1'000;
    match.finish_ns = begin_ns + took_ns;
    own.last_start_ns.push_back(begin_ns);
    for (const Text func : {send, recv}) {
      run.arrivals.emplace_back().operation = static_cast<uint32_t>(run.operations.size());
      OperationRow& row = run.operations.emplace_back();
      row.process = process_on(func == send ? from : "to" + std::to_string(run.matches.size()));
      row.communicator = communicator;
      row.rank = rank;
      row.func = func;
      row.kind = OpKind::PointToPoint;
      row.match = static_cast<uint32_t>(run.matches.size() - 1);
      row.steps = 1;
      row.network_ns = func == send ? took_ns : 0;
    }
  };
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t begin_ns = i * 100 * kMs;
    for (int32_t rank = 0; rank < 4; ++rank)
      transfer(0, rank, "node" + std::to_string(rank), begin_ns, rank == 0 ? 20 * kMs : 5 * kMs);
    for (uint32_t other = 1; other < 4; ++other)
      transfer(other, 0, "node0", begin_ns + (together ? 0 : other * 25 * kMs), 20 * kMs);
  }
  SlowPath path;
  path.communicator = 0;
  path.func = send;
  path.ranks = {0};
  return analysis::is_slow_in_proportion(run, own, HostTraffic(run, own), path);
}

TEST(SlowPaths, AreNotSlowWhereTheirHostSendsSeveralTimesAsMuchAtOnce) {
  EXPECT_FALSE(is_slow_in_proportion(true));
  EXPECT_TRUE(is_slow_in_proportion(false));
}

// Ranks 0 and 1 on node0, 2 on node1, 3 on node2; rank 0 sends to one of them.
Text receives_of_rank_0(int32_t peer) {
  RunTables run;
  SlowPath path;
  path.func = run.strings.intern("AllReduce");
  path.processes = {0, 1};
  for (uint32_t rank = 0; rank < 4; ++rank) {
    run.processes.emplace_back();
    run.processes.back().host =
        run.strings.intern("node" + std::to_string(rank < 2 ? 0 : rank - 1));
    MemberRow& member = run.members.emplace_back();
    member.communicator = 0;
    member.process = rank;
    member.rank = static_cast<int32_t>(rank);
    OperationRow row;
    row.process = rank;
    row.communicator = 0;
    row.func = path.func;
    row.send_peer = rank == 0 ? peer : rank == 1 ? 2 : -1;
    run.operations.push_back(row);
  }
  return receiving_host(run, path) == 0 ? 0 : receiving_host(run, path) - run.processes[0].host;
}

TEST(SlowPaths, KnowTheHostThatTheirRanksSendToWhereItIsOne) {
  EXPECT_EQ(receives_of_rank_0(2), 1u) << "node1";
  EXPECT_EQ(receives_of_rank_0(1), 1u)
      << "inside its host it sends to rank 1, which sends to node1";
  EXPECT_EQ(receives_of_rank_0(3), 0u) << "to node2, and rank 1 to node1";
  EXPECT_EQ(receives_of_rank_0(kSeveralPeers), 0u);
}

}  // namespace
}  // namespace lockstep::analysis
