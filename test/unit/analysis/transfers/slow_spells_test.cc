// Sends that are slow at times, told by each rank's own network steps: the hosts' clocks are known to 3 ms only.
#include "analysis/transfers/slow_spells.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/paths/late_proxies.h"
#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperationsOfJob = 26;
constexpr uint64_t kUsualNs = 50 * kUs, kSlowNs = 300 * kUs;

// Hosts of one rank each, which reduce every 10 ms around a ring. In one operation of four, some ways are slow.
struct SpellsOfRing {
  int32_t hosts = 3;
  std::vector<int32_t> slow_ways;    // from these ranks to the next
  std::vector<int32_t> second_ways;  // ... in every second of these operations; empty: the same
  bool takes_longer = true;          // the operation, by that
  uint64_t held_up_ns = 0;           // ... by something else
  uint64_t late_ns = 0;              // so much later than the others rank 0 comes to each
  uint64_t others_count = 0;         // elements that other ranks of the hosts reduce meanwhile

  static bool is_slow(unsigned i) { return i % 4 == 1; }
  bool is_slow_way(int32_t rank, unsigned i) const {
    const auto& ways = i / 4 % 2 == 1 && !second_ways.empty() ? second_ways : slow_ways;
    return std::count(ways.begin(), ways.end(), rank) != 0;
  }
  driver::RankOperation operation(int32_t rank, unsigned i) const {
    driver::RankOperation op;
    op.sequence = i;
    op.channels = 1;
    op.steps = 8;
    const uint64_t others_call_ns = 2'000 * kMs + i * 10 * kMs;
    op.call_ns = others_call_ns + (rank == 0 ? late_ns : 0);
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.network_ns = is_slow(i) && is_slow_way(rank, i) ? kSlowNs : kUsualNs;
    const bool longer = is_slow(i) && takes_longer && !slow_ways.empty();
    op.finish_ns = others_call_ns + late_ns + 10 * kUs + op.steps * (longer ? kSlowNs : kUsualNs) +
                   (is_slow(i) ? held_up_ns : 0) +
                   (i * 7 + static_cast<unsigned>(rank) * 3) % 5 * 100;
    return op;
  }
  std::unique_ptr<RunTables> play() const {
    TestRun run;
    for (int32_t rank = 0; rank < hosts; ++rank) {
      driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, hosts);
      for (unsigned i = 0; i < kOperationsOfJob; ++i) records.operation(operation(rank, i));
      run.add(static_cast<uint32_t>(10 + rank), {&records.proxy, &records.user}, host_of(rank, 1));
      if (others_count != 0) add_other(rank, &run);
    }
    align_hosts(run, hosts, 1);
    std::unique_ptr<RunTables> tables = run.load();
    for (ArrivalRow& row : tables->arrivals) {
      if (row.clock_error_ns != 0) row.clock_error_ns = 3 * kMs;
    }
    return tables;
  }
  void add_other(int32_t rank, TestRun* run) const {
    const auto pid = static_cast<uint32_t>(100 + rank);
    driver::RankRecords records(2, 0xd0, rank, hosts, pid, &run->strings);
    records.init(1'000 * kMs);
    for (unsigned i = 0; i < kOperationsOfJob; ++i) {
      driver::RankOperation op = operation(rank, i);
      op.count = others_count;
      op.steps = 0;
      if (is_slow(i)) records.operation(op);
    }
    run->add(pid, {&records.proxy, &records.user}, host_of(rank, 1));
  }
  std::vector<SlowSpells> spells() const { return spells_of(play()); }
  static std::vector<SlowSpells> spells_of(const std::unique_ptr<RunTables>& run) {
    return find_slow_spells(*run, find_own_segments(*run), Spells::OfAll).slow;
  }
};

TEST(SlowSpells, AreTheOperationsOfAWayThatTakesLongerThanAtOtherTimes) {
  SpellsOfRing job;
  job.slow_ways = {1};
  const std::vector<SlowSpells> spells = job.spells();
  ASSERT_EQ(spells.size(), 1u);
  EXPECT_EQ(spells[0].from, 1u);
  EXPECT_EQ(spells[0].to, 2u);
  EXPECT_EQ(spells[0].matches.size(), 7u);
  EXPECT_NEAR(static_cast<double>(spells[0].excess_ns), 8.0 * (kSlowNs - kUsualNs), kUs);
}

TEST(SlowSpells, AreNoneWhereTheOperationTakesNoLonger) {
  SpellsOfRing job;
  job.slow_ways = {1};
  job.takes_longer = false;
  EXPECT_TRUE(job.spells().empty());
}

TEST(SlowSpells, AreNoneWhereSomethingElseHoldsTheOperationUp) {
  SpellsOfRing job;
  job.slow_ways = {1};
  job.takes_longer = false;
  job.held_up_ns = 9 * kMs;
  EXPECT_TRUE(job.spells().empty());
}

TEST(SlowSpells, AreNoneWhereTheHostsSendSixTimesAsMuchAtThatTime) {
  SpellsOfRing job;
  job.slow_ways = {0, 1, 2};
  ASSERT_EQ(job.spells().size(), 3u);
  job.others_count = 5 * driver::RankOperation().count;
  EXPECT_TRUE(job.spells().empty());
}

// As on a tree, where a rank has several peers, which its channels name.
TEST(SlowSpells, AreToldByChannelsWhereARankHasSeveralPeers) {
  SpellsOfRing job;
  job.slow_ways = {1};
  const std::unique_ptr<RunTables> run = job.play();
  for (uint32_t i = 0; i < run->operations.size(); ++i) {
    OperationRow& row = run->operations[i];
    const int32_t next = row.send_peer;
    row.send_peer = row.receive_peer = kSeveralPeers;
    for (const unsigned channel : {0u, 1u}) {
      ChannelEndRow& end = run->channel_ends.emplace_back();
      end.operation = i;
      end.peer = static_cast<uint32_t>(next) & 0xffffffu;
      end.channel = channel & 0x7fu;
      end.is_send = 1;
      end.work_ns = static_cast<uint32_t>(row.network_ns / 2);
    }
  }
  const std::vector<SlowSpells> spells = job.spells_of(run);
  ASSERT_EQ(spells.size(), 1u);
  EXPECT_EQ(spells[0].from, 1u);
  EXPECT_EQ(spells[0].to, 2u);
  EXPECT_EQ(spells[0].matches.size(), 7u);
}

TEST(SlowSpells, NameWhoseWaysTheyAreWhateverTheClocksErr) {
  SpellsOfRing job;
  job.slow_ways = {0, 1};
  const Judged judged(job.play());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(world_ranks(judged), Ranks{1}) << all_text(judged);
}

TEST(SlowSpells, NameTwoHostsThatExchangeNothingWithOthers) {
  SpellsOfRing job;
  job.hosts = 2;
  job.slow_ways = {0, 1};
  const Judged judged(job.play());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), (Ranks{0, 1}));
  EXPECT_NE(judged.text().find("or one of its two ends"), std::string::npos) << judged.text();
}

TEST(SlowSpells, NameNobodyWhereAllWaysAreSlowAtOnce) {
  SpellsOfRing job;
  job.hosts = 4;
  job.slow_ways = {0, 1, 2, 3};
  const Judged judged(job.play());
  for (size_t i = 0; i < judged.findings.size(); ++i)
    EXPECT_EQ(world_ranks(judged, i), Ranks{}) << all_text(judged);
}

TEST(SlowSpells, NameNobodyWhereOtherHostsAreSlowAtOtherTimes) {
  SpellsOfRing job;
  job.hosts = 4;
  job.slow_ways = {0, 1};
  job.second_ways = {2, 3};
  const Judged judged(job.play());
  for (size_t i = 0; i < judged.findings.size(); ++i)
    EXPECT_EQ(world_ranks(judged, i), Ranks{}) << all_text(judged);
}

// In the slow operations the proxy thread of rank 2 makes what has come visible `times` as late as usual.
std::unique_ptr<RunTables> with_a_late_proxy_thread(const SpellsOfRing& job, int64_t times) {
  std::unique_ptr<RunTables> run = job.play();
  for (OperationRow& row : run->operations) {
    const bool late = row.rank == 2 && SpellsOfRing::is_slow(row.ordinal);
    row.flush_ns = static_cast<int64_t>(300 * kUs) * (late ? times : 1);
  }
  return run;
}

TEST(SlowSpells, AreAlsoThoseOfAProxyThread) {
  SpellsOfRing job;
  job.held_up_ns = 2 * kMs;
  const std::vector<SlowSpells> spells = job.spells_of(with_a_late_proxy_thread(job, 5));
  ASSERT_EQ(spells.size(), 1u);
  EXPECT_TRUE(spells[0].proxy);
  EXPECT_EQ(spells[0].to, 2u);
  EXPECT_TRUE(job.spells_of(with_a_late_proxy_thread(job, 3)).empty());
}

TEST(SlowSpells, NameTheProxyThreadThatIsLateAtTimes) {
  SpellsOfRing job;
  job.held_up_ns = 2 * kMs;
  const Judged judged(with_a_late_proxy_thread(job, 8));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowProxy);
  EXPECT_EQ(world_ranks(judged), Ranks{2}) << all_text(judged);
}

TEST(SlowSpells, NameAProxyThreadAlsoBesideWhoIsLate) {
  SpellsOfRing job;
  job.held_up_ns = 4 * kMs;
  job.late_ns = 2 * kMs;
  const Judged judged(with_a_late_proxy_thread(job, 16));
  ASSERT_EQ(judged.findings.size(), 2u) << all_text(judged);
  std::set<FindingKind> kinds;
  for (const Finding& one : judged.findings) kinds.insert(one.kind);
  EXPECT_EQ(kinds, (std::set<FindingKind>{FindingKind::Straggler, FindingKind::SlowProxy}));
}

// Beside these parts another: what comes into two hosts of the ring in the slow operations costs so many times as much as
// the spells of rank 2.
std::vector<SlowPart> named_of_receivers(double times, std::vector<SlowPart> parts = {}) {
  SpellsOfRing job;
  job.held_up_ns = 2 * kMs;
  const std::unique_ptr<RunTables> run = with_a_late_proxy_thread(job, 8);
  const OwnSegments own = find_own_segments(*run);
  const SpellsOfRun spells = find_slow_spells(*run, own, Spells::OfProxies);
  SlowPart& part = parts.emplace_back();
  part.host = true;
  part.side = SlowSide::ReceiverProxy;
  part.actors = {1};
  for (const uint32_t receiver : {1u, 2u}) {
    TransferExcess& into = part.excesses.emplace_back();
    into.actors = {receiver - 1, receiver};
    into.matches = spells.slow.at(0).matches;
    into.excess_ns = part_of(spells.slow[0].excess_ns, times / 2);
  }
  name_late_spells(*run, own, &parts);
  return parts;
}

TEST(SlowSpells, NameTheThreadBehindWhichOtherReceiversWait) {
  const std::vector<SlowPart> named = named_of_receivers(1);
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].actors, std::vector<uint32_t>{2});
  EXPECT_FALSE(named[0].host);
  const std::vector<SlowPart> others = named_of_receivers(2.5);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].actors, std::vector<uint32_t>{1}) << "less than half of it";
  EXPECT_TRUE(others[0].host);
}

TEST(SlowSpells, NameAThreadOnce) {
  SlowPart known;
  known.actors = {2};
  EXPECT_EQ(named_of_receivers(1, {known}).size(), 1u);
}

}  // namespace
}  // namespace lockstep::analysis
