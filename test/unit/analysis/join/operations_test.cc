#include "base/id_map.h"
#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

TEST(Operations, JoinChildrenThatAreWrittenBeforeTheirParents) {
  TestRun run;
  driver::RankRecords rank(1, 0xc0, 0, 1, 10, &run.strings);
  rank.init(1'000 * kMs);
  driver::RankOperation op = operation_at(0, 0);
  op.steps = 3;
  rank.operation(op);
  run.add(10, rank);

  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 1u);
  const OperationRow& row = tables->operations[0];
  EXPECT_EQ(row.state, OpState::Done);
  EXPECT_EQ(tables->text(row.func), "AllReduce");
  EXPECT_EQ(row.api_start_ns, static_cast<int64_t>(op.call_ns + 100));
  EXPECT_EQ(row.proxy_ops, 4u);
  EXPECT_EQ(row.kernels, 2u);
  EXPECT_EQ(row.steps, 12u);
  EXPECT_EQ(row.channels_mask, 3u);
  EXPECT_EQ(row.size_bytes, 65536u);
  EXPECT_EQ(row.finish_ns, static_cast<int64_t>(op.finish_ns + 2'000));
  const auto kernel_ns = static_cast<int64_t>(op.kernel_ns);
  EXPECT_LE(row.kernel_start_ns - row.kernel_early_ns, kernel_ns);
  EXPECT_GE(row.kernel_start_ns + row.kernel_late_ns, kernel_ns);
}

// Three steps begin at 0, 1/4 and 1/2 of its kernel's time. Each is received half of its time in the network later, and seen
// sent after all of it.
TEST(Operations, TellWhenTheirProxyThreadsSawTheNetworkDoneOnAverage) {
  TestRun run;
  driver::RankRecords rank(1, 0xc0, 0, 1, 10, &run.strings);
  rank.init(1'000 * kMs);
  driver::RankOperation op = operation_at(0, 0);
  op.steps = 3;
  op.finish_ns = op.kernel_ns + 4 * kMs;
  op.network_ns = 100 * kUs;
  rank.operation(op);
  rank.operation(operation_at(1, 0));  // without steps
  run.add(10, rank);

  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 2u);
  const auto kernel_ns = static_cast<int64_t>(op.kernel_ns);
  EXPECT_EQ(tables->operations[0].receives_seen_ns - kernel_ns, 1'050 * kUs);
  EXPECT_EQ(tables->operations[0].sends_seen_ns - kernel_ns, 1'100 * kUs + 250);
  EXPECT_EQ(tables->operations[1].receives_seen_ns, kNoTime);
  EXPECT_EQ(tables->operations[1].sends_seen_ns, kNoTime);
  int64_t in_network_ns = 0, flushed_ns = 0;
  for (const ChannelEndRow& end : tables->channel_ends) {
    if (end.operation != 0) continue;
    EXPECT_EQ(end.seen_ns - kernel_ns, end.is_send != 0 ? 1'100 * kUs + 250 : 1'050 * kUs);
    EXPECT_GT(end.steps, 0u);
    (end.is_send != 0 ? in_network_ns : flushed_ns) += end.work_ns;
  }
  EXPECT_GT(in_network_ns, 0);
  EXPECT_EQ(in_network_ns, tables->operations[0].network_ns);
  EXPECT_EQ(flushed_ns, tables->operations[0].flush_ns);
  EXPECT_EQ(tables->channel_ends.size(), 8u);
}

// The row of an operation whose only channel goes round a ring has both its peers.
TEST(Operations, TellWhenChannelsWereDoneUnlessOneGoesRoundARing) {
  TestRun run;
  driver::RankRecords rank(1, 0xc0, 0, 1, 10, &run.strings);
  rank.init(1'000 * kMs);
  unsigned number = 0;
  for (const auto& [channels, algo] : {std::pair(2u, "RING"), {1u, "TREE"}, {1u, "RING"}}) {
    driver::RankOperation op = operation_at(number++, 0);
    op.channels = channels;
    op.algo = algo;
    rank.operation(op);
  }
  run.add(10, rank);
  const auto tables = run.load();
  std::vector<uint32_t> ends(3);
  for (const ChannelEndRow& end : tables->channel_ends) ++ends.at(end.operation);
  EXPECT_EQ(ends, (std::vector<uint32_t>{4, 2, 0}));
}

TEST(Operations, TellInFlightFromAbortedFromIncomplete) {
  TestRun run;
  driver::RankRecords stuck(1, 0xc0, 0, 2, 10, &run.strings),
      given_up(1, 0xc0, 1, 2, 11, &run.strings);
  for (driver::RankRecords* rank : {&stuck, &given_up}) {
    rank->init(1'000 * kMs);
    driver::RankOperation lost = operation_at(0, 0);
    lost.finish_ns = 0;  // its stop was lost, the next one ended
    rank->operation(lost);
    rank->operation(operation_at(1, 0));
    driver::RankOperation open = operation_at(2, 0);
    open.finish_ns = 0;
    rank->operation(open);
  }
  given_up.finalize(5'000 * kMs);
  run.add(10, stuck);
  run.add(11, given_up);

  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 6u);
  EXPECT_EQ(tables->operations[0].state, OpState::Incomplete);
  EXPECT_EQ(tables->operations[1].state, OpState::Done);
  EXPECT_EQ(tables->operations[2].state, OpState::InFlight);
  EXPECT_EQ(tables->operations[5].state, OpState::Aborted);
}

TEST(Operations, KeepCallsThatNoLaunchFollowed) {
  TestRun run;
  driver::RankRecords rank(1, 0xc0, 0, 1, 10, &run.strings);
  rank.init(1'000 * kMs);
  driver::RankOperation broadcast = operation_at(0, 0);
  broadcast.func = "Broadcast";
  rank.call_only(broadcast);
  rank.operation(operation_at(1, 0));
  run.add(10, rank);

  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 2u);
  EXPECT_EQ(tables->operations[0].kind, OpKind::ApiOnly);
  EXPECT_EQ(tables->operations[0].state, OpState::Enqueued);
  EXPECT_EQ(tables->operations[0].position, 0u);
  EXPECT_EQ(tables->operations[1].position, 1u);
}

TEST(Operations, ResolveNetworkWorkThatAnotherProcessDid) {
  TestRun run;
  driver::RankRecords owner(1, 0xc0, 0, 2, 10, &run.strings),
      helper(1, 0xc0, 1, 2, 11, &run.strings);
  owner.init(1'000 * kMs);
  helper.init(1'000 * kMs);
  driver::RankOperation op = operation_at(0, 0);
  owner.operation(op);
  helper.operation(op);
  // The owner's send is driven by the helper's proxy thread: the owner's parent id, the owner's
  // pid.
  std::vector<uint64_t> moved;
  for (size_t at = 0; at < owner.proxy.size();) {
    const unsigned size = kRecordShapes[tag_of(owner.proxy[at])].words;
    if (kind_of(owner.proxy[at + 1]) == Kind::ProxyOp) {
      std::vector<uint64_t> words(owner.proxy.begin() + static_cast<ptrdiff_t>(at),
                                  owner.proxy.begin() + static_cast<ptrdiff_t>(at + size));
      words[1] += uint64_t{1'000'000} << kSerialShift;
      moved.insert(moved.end(), words.begin(), words.end());
    }
    at += size;
  }
  std::vector<uint64_t> kernels;
  for (size_t at = 0; at < owner.proxy.size();) {
    const unsigned size = kRecordShapes[tag_of(owner.proxy[at])].words;
    if (kind_of(owner.proxy[at + 1]) == Kind::KernelCh)
      kernels.insert(kernels.end(), &owner.proxy[at], &owner.proxy[at] + size);
    at += size;
  }
  run.add(10, {&owner.user, &kernels}, "test");
  helper.proxy.insert(helper.proxy.end(), moved.begin(), moved.end());
  run.add(11, helper);

  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 2u);
  EXPECT_EQ(tables->operations[0].proxy_ops, 4u);
  EXPECT_NE(tables->operations[0].flags & kForeignChildren, 0);
  EXPECT_EQ(tables->operations[1].proxy_ops, 4u);
}

TEST(Processes, HaveTheirRankInTheirLargestCommunicator) {
  TestRun run;
  driver::RankRecords pair(1, 0xa0, 0, 2, 10, &run.strings), world(2, 0xc0, 3, 4, 10, &run.strings);
  pair.init(1'000 * kMs);
  world.init(1'001 * kMs);
  run.add(10, {&pair.user, &world.user}, "test");
  EXPECT_EQ(run.load()->processes[0].rank, 3);
}

TEST(IdMap, FindsWhatStaysWhileMuchComesAndGoes) {
  IdMap map;
  std::map<uint64_t, uint32_t> truth;
  uint64_t random = 88172645463325252ULL;
  for (uint32_t i = 0; i < 200'000; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    const uint64_t id = random % 512 + 1;
    if (random >> 40 & 1) {
      map.set(id, i);
      truth[id] = i;
    } else {
      map.erase(id);
      truth.erase(id);
    }
  }
  EXPECT_EQ(map.size(), truth.size());
  for (uint64_t id = 1; id <= 512; ++id) {
    const auto found = truth.find(id);
    EXPECT_EQ(map.find(id), found == truth.end() ? IdMap::kNone : found->second);
  }
}

}  // namespace
}  // namespace lockstep::analysis
