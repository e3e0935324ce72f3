// Rings whose data moves step by step by their own rules, with one edge, rank or host that is slow.
#include <gtest/gtest.h>

#include "test/unit/analysis/paths/played_ring.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

TEST(SlowParts, SayNothingOfEdgesThatAreAlike) {
  EXPECT_TRUE(judge_ring(Ring(8), 2).findings.empty());
  EXPECT_TRUE(judge_ring(Ring(4), 1).findings.empty());
}

TEST(SlowParts, NameTheSenderWhereALinkIsSlow) {
  for (const size_t sender : {size_t{1}, size_t{5}, size_t{7}}) {
    Ring ring(8);
    ring.link_ns[sender] = 300 * kUs;
    const Judged judged = judge_ring(ring, 2);
    ASSERT_EQ(judged.findings.size(), 1u) << sender;
    EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
    EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{static_cast<int32_t>(sender)});
    EXPECT_NE(judged.text().find("Its sends are suspected"), std::string::npos) << judged.text();
    EXPECT_NE(judged.text().find("lockstep ctl RUN events step"), std::string::npos);
  }
}

// What the slow way delays comes all at once, and others wait behind it.
TEST(SlowParts, AccuseNobodyElseWhoseSendsAreLongInTheNetwork) {
  for (const bool slow : {true, false}) {
    Judged first = judge_ring(ring_of_eight(slow), 2);
    for (OperationRow& row : first.run->operations) {
      if (row.rank == 4) row.network_ns = row.sending_ns = 20 * kMs;
    }
    const Judged judged(std::move(first.run));
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
    EXPECT_EQ(judged.findings[0].culprits, Ranks{slow ? 1 : 4}) << judged.text();
  }
}

TEST(SlowParts, NameTheReceiverThatIsDoneLate) {
  Ring ring(8);
  ring.receiver_ns[2] = 400 * kUs;
  const Judged judged = judge_ring(ring, 2);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_EQ(judged.text().find("What rank 2 of world receives from rank 1 takes"), 0u)
      << judged.text();
}

TEST(SlowParts, NameARankWhoseGpuIsSlowBothWays) {
  Ring ring(8);
  ring.gpu_ns[4] = 200 * kUs;
  const Judged judged = judge_ring(ring, 1);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{4}) << judged.text();
}

TEST(SlowParts, NameAHostThatIsSlowBothWays) {
  Ring ring(8);
  ring.link_ns[1] = ring.link_ns[3] = 300 * kUs;
  const Judged judged = judge_ring(ring, 2);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{2, 3})) << judged.text();
  EXPECT_NE(judged.text().find("all of its ranks on host b"), std::string::npos);
}

// The way into the host and the way out of it are the same: now the one shows it, now the other.
TEST(SlowParts, NameAHostWhoseTwoEdgesAreSlowInTurn) {
  Ring ring(8);
  std::vector<Ends> turns;
  for (const uint64_t into_us : {100u, 250u, 400u}) {
    ring.link_ns[1] = into_us * kUs;
    ring.link_ns[3] = (500 - into_us) * kUs;
    turns.push_back(play(ring));
  }
  const Judged judged =
      judge_ends(ring, 2, {}, [&](unsigned i) -> const Ends& { return turns[i * 7 % 5 % 3]; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{2, 3})) << judged.text();
}

// Of a long ring the way out of the host shows but little behind the way in.
TEST(SlowParts, NameAHostWhoseWayOutShowsLittle) {
  Ring ring(16);
  ring.link_ns[5] = ring.link_ns[7] = 200 * kUs;
  const Judged judged = judge_ring(ring, 2);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{6, 7})) << judged.text();
}

// Mostly the way in shows all of it, and at other times the way out.
TEST(SlowParts, NameAHostWhoseEdgesAreNeverSlowTogether) {
  Ring into(8), out(8);
  into.link_ns[1] = out.link_ns[3] = 400 * kUs;
  const Ends turns[] = {play(into), play(out)};
  const Judged judged =
      judge_ends(into, 2, {}, [&](unsigned i) -> const Ends& { return turns[i % 3 == 2]; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{2, 3})) << judged.text();
}

TEST(SlowParts, NameTheHostOfThreeWhoseEdgesAreSlow) {
  Ring ring(3);
  ring.steps = 4;
  ring.link_ns[2] = ring.link_ns[0] = 400 * kUs;
  const Judged judged = judge_ring(ring, 1);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{0}) << judged.text();
}

TEST(SlowParts, NameALinkThatIsSlowForAWhileOnly) {
  Ring ring(8);
  ring.link_ns[3] = 500 * kUs;
  const Judged judged = judge_ring(ring, 2, {8, 18});
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
}

// Of three hosts two edges of every ring are those of one host, so most of all edges may be slow.
TEST(SlowParts, NameTheHostOfThreeThatIsSlowInEveryCommunicator) {
  Ring ring(3);
  ring.link_ns[0] = ring.link_ns[2] = 250 * kUs;
  const Ends ends = play(ring);
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    for (uint32_t number = 0; number < 3; ++number) {
      const auto pid = static_cast<uint32_t>(10 + 3 * rank) + number;
      driver::RankRecords records(1, 0xc0 + number, rank, 3, pid, &run.strings);
      records.init(1'000 * kMs);
      for (unsigned i = 0; i < kTimes; ++i) {
        driver::RankOperation op;
        op.sequence = i;
        op.channels = 1;
        op.steps = 8;
        op.network_ns = ring.link_ns[static_cast<size_t>(rank)];
        op.call_ns = 2'000 * kMs + i * 10 * kMs;
        op.kernel_ns = op.call_ns + 10 * kUs;
        const uint64_t scatter = (i * 7 + pid * 3) % 5 * 100;
        op.sent_ns = op.kernel_ns + ends.sent_ns[static_cast<size_t>(rank)] + scatter;
        op.received_ns = op.kernel_ns + ends.received_ns[static_cast<size_t>(rank)] + scatter;
        op.finish_ns = op.received_ns;
        records.operation(op);
      }
      run.add(pid, {&records.proxy, &records.user}, host_of(rank, 1));
    }
  }
  align_hosts(run, 3, 1);
  const Judged judged(run.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_NE(judged.text().find("on host a, exchange with other hosts"), std::string::npos)
      << judged.text();
}

// What costs more comes first.
TEST(SlowParts, NameALinkBesideARankThatIsLate) {
  Ring ring(8);
  ring.link_ns[3] = 300 * kUs;
  const Judged judged = judge_ring(ring, 2, {0, kTimes, 6, 4 * kMs});
  ASSERT_EQ(judged.findings.size(), 2u) << judged.text();
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3});
  EXPECT_EQ(judged.findings[1].kind, FindingKind::Straggler);
  EXPECT_EQ(judged.findings[1].culprits, std::vector<int32_t>{6});
}

TEST(SlowParts, DoNotNameWhoIsLateASecondTimeForWhatEndsShow) {
  Ring ring(8);
  ring.link_ns[3] = 300 * kUs;
  const Judged judged = judge_ring(ring, 2, {0, kTimes, 3, 9 * kMs});
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Straggler);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3});
}

// A broadcast from rank 0 along its ranks, each on a host of its own: the data reaches each rank so long
// after the one before it.
Judged judge_chain(const std::vector<uint64_t>& hop_ns) {
  const auto ranks = static_cast<int32_t>(hop_ns.size());
  return diagnose_hosts(ranks, 1, kTimes, [&](int32_t rank, unsigned i) {
    driver::RankOperation op;
    op.func = "Broadcast";
    op.sequence = i;
    op.channels = 1;
    op.call_ns = 2'000 * kMs + i * 10 * kMs;
    op.kernel_ns = op.call_ns + 10 * kUs;
    uint64_t at_ns = op.kernel_ns + (i * 7 + static_cast<unsigned>(rank) * 3) % 5 * 100;
    for (int32_t k = 0; k <= rank; ++k) at_ns += hop_ns[static_cast<size_t>(k)];
    op.received_ns = at_ns;
    op.sent_ns = at_ns + (rank + 1 < ranks ? hop_ns[static_cast<size_t>(rank) + 1] : 0);
    op.finish_ns = op.sent_ns;
    return op;
  });
}

TEST(SlowParts, NameTheSlowEdgeOfAChain) {
  EXPECT_TRUE(judge_chain({1'000 * kUs, 50 * kUs, 50 * kUs, 50 * kUs, 50 * kUs}).findings.empty());
  Judged judged = judge_chain({1'000 * kUs, 50 * kUs, 50 * kUs, 2'000 * kUs, 50 * kUs});
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2}) << judged.text();
  const Judged apart = with_clocks_apart(std::move(judged), 20 * kMs);
  EXPECT_TRUE(apart.findings.empty()) << "clocks may make that up: " << all_text(apart);
}

// Each rank of host a and its like of host b send to each other in turn.
constexpr int32_t kPairs = 4;
bool goes_to_b(unsigned i) { return i % 2 == 0; }
driver::RankOperation send_in_turn(int32_t rank, unsigned i) {
  const bool on_a = rank < kPairs;
  driver::RankOperation op;
  op.func = on_a == goes_to_b(i) ? "Send" : "Recv";
  op.peer = on_a ? rank + kPairs : rank - kPairs;
  op.sequence = i;
  op.channels = 1;
  return op;
}
uint64_t scatter_ns(int32_t rank, unsigned i) {
  return (i / 2 * 7 + static_cast<unsigned>(rank % kPairs) * 3) % 5 * 100;
}

// A transfer takes so long from a to b,
// and from b to a.
// On b the operation begins `b_late_ns` later than on a.
Judged judge_pairs(uint64_t to_b_ns, uint64_t to_a_ns, uint64_t b_late_ns = 0,
                   bool network_operations = true) {
  return diagnose_hosts(2 * kPairs, kPairs, 2 * kTimes, [&](int32_t rank, unsigned i) {
    driver::RankOperation op = send_in_turn(rank, i);
    op.network_operations = network_operations;
    const uint64_t last_ns = 2'000 * kMs + i * 5 * kMs + b_late_ns;
    op.call_ns = last_ns - (rank < kPairs ? b_late_ns : 0);
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.sent_ns = op.received_ns = op.finish_ns =
        last_ns + 10 * kUs + (goes_to_b(i) ? to_b_ns : to_a_ns) + scatter_ns(rank, i);
    return op;
  });
}

TEST(SlowParts, NameTheWayFromOneHostToAnotherThatSeveralPairsUse) {
  EXPECT_TRUE(judge_pairs(1'000 * kUs, 1'000 * kUs).findings.empty());
  const Judged judged = judge_pairs(1'000 * kUs, 4'000 * kUs);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{4, 5, 6, 7})) << judged.text();
  EXPECT_EQ(
      judged.text().find("What ranks 4, 5, 6 and 7 of world, on host b, send to host a takes"), 0u)
      << judged.text();
}

// What host a sends to host b goes at once over all four pairs of ranks. What comes back goes over one pair after the other.
Judged judge_crowd(uint64_t there_ns, uint64_t back_ns) {
  return diagnose_hosts(2 * kPairs, kPairs, 2 * kTimes, [&](int32_t rank, unsigned i) {
    driver::RankOperation op = send_in_turn(rank, i);
    op.network_operations = true;
    const auto turn = static_cast<uint64_t>(1 + rank % kPairs);
    op.call_ns = 2'000 * kMs + i / 2 * 40 * kMs + (goes_to_b(i) ? 0 : turn * 6 * kMs);
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.sent_ns = op.received_ns = op.finish_ns =
        op.kernel_ns + (goes_to_b(i) ? there_ns : back_ns) + scatter_ns(rank, i);
    return op;
  });
}

TEST(SlowParts, AccuseNobodyOfSharingAWayToTheNetwork) {
  const Judged judged = judge_crowd(4'000 * kUs, 1'000 * kUs);
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
  const Judged slow = judge_crowd(4'000 * kUs, 5'000 * kUs);
  ASSERT_EQ(slow.findings.size(), 1u) << all_text(slow);
  EXPECT_EQ(slow.findings[0].kind, FindingKind::SlowLink);
}

TEST(SlowParts, AccuseNobodyWhoseSendsAreLongInTheNetworkTheyShare) {
  Judged crowd = judge_crowd(4'000 * kUs, 1'000 * kUs);
  for (OperationRow& row : crowd.run->operations) {
    row.steps = 4;
    if (crowd.run->text(row.func) == "Send")
      row.network_ns = row.sending_ns = (row.rank < kPairs ? 4 : 1) * kMs;
  }
  EXPECT_TRUE(Judged(std::move(crowd.run)).findings.empty());
}

// Four at once share the way, so that each would take 4 ms: 1.6 ms of 5.6 are lost in each turn of 40 ms.
TEST(SlowParts, CostWhatTheyTakeLongerThanTheirShareOfTheWay) {
  const Judged judged = judge_crowd(5'600 * kUs, 1'000 * kUs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_NEAR(std::get<PathFacts>(judged.findings[0].facts).gain_share, 1.6 / 40, 0.01);
}

// Four hosts of two ranks each exchange data, each with each other in turn; what hosts 0 and 1 exchange
// takes `times` as long. Sizes are all alike, or differ each time, and times with them.
Judged judge_exchange(uint64_t times, bool sizes_vary) {
  constexpr unsigned kHosts = 4, kTurns = 180;
  const auto count_at = [=](unsigned i) {
    return sizes_vary ? 16'384 + i * 7'919 % 16'000 : 16'384;
  };
  // By turn and host: when it comes, and when both have.
  std::vector<std::vector<uint64_t>> calls(kTurns + 1, std::vector<uint64_t>(kHosts, 2'000 * kMs));
  auto begins = calls;
  for (unsigned i = 0; i < kTurns; ++i) {
    for (unsigned host = 0; host < kHosts; ++host) {
      const unsigned other = host ^ (1 + i % 3);
      begins[i][host] = std::max(calls[i][host], calls[i][other]) + 10 * kUs;
      calls[i + 1][host] =
          begins[i][host] + (host + other == 1 ? times : 1) * count_at(i) * 60 + kMs;
    }
  }
  return diagnose_hosts(2 * kHosts, 2, kTurns, [&](int32_t rank, unsigned i) {
    const auto host = static_cast<unsigned>(rank / 2);
    driver::RankOperation op;
    op.channels = 1;
    op.sequence = i;
    op.count = count_at(i);
    op.peer = 2 * static_cast<int32_t>(host ^ (1 + i % 3)) + rank % 2;
    op.func = (rank < op.peer) == (i / 3 % 2 == 0) ? "Send" : "Recv";
    op.call_ns = calls[i][host];
    op.kernel_ns = op.call_ns + 10 * kUs;
    const uint64_t scatter = (i / 2 * 7 + static_cast<unsigned>(rank % 2) * 3) % 5 * 100;
    op.sent_ns = op.received_ns = op.finish_ns = calls[i + 1][host] - kMs + scatter;
    return op;
  });
}

TEST(SlowParts, NameBothEndsWhereWhatTwoHostsExchangeIsSlow) {
  for (const bool sizes_vary : {false, true}) {
    EXPECT_TRUE(judge_exchange(1, sizes_vary).findings.empty());
    const Judged judged = judge_exchange(6, sizes_vary);
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged) << sizes_vary;
    EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
    EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{0, 1, 2, 3})) << judged.text();
    EXPECT_NE(judged.text().find("exchange takes"), std::string::npos) << judged.text();
    EXPECT_LE(judged.findings[0].confidence, 0.7);
  }
}

// Ranks on hosts of their own exchange data in a row, each with the next, one transfer after the other. What
// rank 5 exchanges with rank 4 takes six times as long, what rank 4 does with rank 3 as long as is said.
Judged judge_row(uint64_t of_4_and_3_ns) {
  constexpr int32_t kRanks = 6;
  std::vector<std::pair<int32_t, int32_t>> row;  // there and back
  for (int32_t rank = 0; rank + 1 < kRanks; ++rank) row.emplace_back(rank, rank + 1);
  for (int32_t rank = kRanks - 1; rank > 0; --rank) row.emplace_back(rank, rank - 1);
  TestRun run;
  std::vector<driver::RankRecords> ranks;
  for (int32_t rank = 0; rank < kRanks; ++rank)
    ranks.push_back(rank_of(&run, 1, 0xc0, rank, kRanks));
  std::vector<uint64_t> free_ns(kRanks, 2'000 * kMs), calls(kRanks);
  for (unsigned i = 0; i < row.size() * kTimes; ++i) {
    const auto [from, to] = row[i % row.size()];
    const auto sender = static_cast<size_t>(from), receiver = static_cast<size_t>(to);
    const uint64_t begun_ns = std::max(free_ns[sender], free_ns[receiver]) + 10 * kUs;
    const uint64_t took_ns = (from + to == 9   ? 6 * kMs
                              : from + to == 7 ? of_4_and_3_ns
                                               : 1 * kMs) +
                             i * 7 % 5 * 100;
    for (const size_t rank : {sender, receiver}) {
      driver::RankOperation op;
      op.func = rank == sender ? "Send" : "Recv";
      op.peer = rank == sender ? to : from;
      op.channels = 1;
      op.sequence = calls[rank]++;
      op.call_ns = free_ns[rank];
      op.kernel_ns = op.call_ns + 10 * kUs;
      op.sent_ns = op.received_ns = op.finish_ns = begun_ns + took_ns;
      ranks[rank].operation(op);
      free_ns[rank] = op.finish_ns + kMs;
    }
  }
  for (uint32_t rank = 0; rank < kRanks; ++rank)
    run.add(10 + rank, {&ranks[rank].proxy, &ranks[rank].user},
            host_of(static_cast<int32_t>(rank), 1));
  align_hosts(run, kRanks, 1);
  return Judged(run.load());
}

TEST(SlowParts, NameTheEndOfAWayThatHasNoOtherWays) {
  for (const int64_t of_4_and_3_us : {1'000, 1'080}) {  // a trifle longer as well
    const Judged judged = judge_row(static_cast<uint64_t>(of_4_and_3_us * kUs));
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
    EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
    EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{5}) << judged.text();
    EXPECT_EQ(judged.text().find("What rank 5 of world exchanges with rank 4 takes"), 0u)
        << judged.text();
    EXPECT_NE(judged.text().find("What rank 4 exchanges with others takes no longer than usual"),
              std::string::npos)
        << judged.text();
  }
}

TEST(SlowParts, NameWhomEveryWayOfIsSlow) {
  const Judged judged = judge_row(3'000 * kUs);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{4}) << all_text(judged);
}

// A receiver that begins late finds the first half in its buffers: what is left of the time says who comes
// first, and nothing of the link.
TEST(SlowParts, CompareSendsOnlyWhereTheSameSideBeganFirst) {
  const auto links = [](const Judged& judged) {
    return std::count_if(judged.findings.begin(), judged.findings.end(),
                         [](const Finding& one) { return one.kind == FindingKind::SlowLink; });
  };
  EXPECT_EQ(links(judge_pairs(500 * kUs, 1'000 * kUs, 500 * kUs)), 0);
  EXPECT_EQ(links(judge_pairs(3'000 * kUs, 1'000 * kUs, 500 * kUs)), 1);
  EXPECT_EQ(links(judge_pairs(1'200 * kUs, 1'000 * kUs, 500 * kUs)), 0)
      << "not a quarter longer than where both begin together";
}

TEST(SlowParts, NameTheWayBetweenHostsByKernelsAlone) {
  EXPECT_TRUE(judge_pairs(1'000 * kUs, 1'000 * kUs, 0, false).findings.empty());
  const Judged judged = judge_pairs(1'000 * kUs, 4'000 * kUs, 0, false);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{4, 5, 6, 7})) << judged.text();
}

TEST(SlowParts, TellALinkFromItsSenderInALargeRing) {
  Ring ring(24);
  ring.steps = 4;
  ring.link_ns[7] = 200 * kUs;
  const Judged judged = judge_ring(ring, 8);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{7});
  EXPECT_NE(judged.text().find("The link is slow"), std::string::npos) << judged.text();
}

enum class Last { NowThisNowThat, AlwaysOne };
// Hosts of one rank each, each at work for up to `apart_ns` longer than another before an operation. Which starts last?
Judged judge_beside_own_work(uint64_t apart_ns, Last last) {
  Ring ring(8);
  ring.link_ns[3] = 150 * kUs;
  const Ends ends = play(ring);
  const auto drawn_ns = [&](int32_t rank, unsigned i) {
    return (i * 7919 + static_cast<unsigned>(rank) * 104729) % 97 * apart_ns / 97;
  };
  const auto work_ns = [&](int32_t rank, unsigned i) {
    uint64_t most_ns = drawn_ns(rank, i);
    for (int32_t other = 0; last == Last::AlwaysOne && rank == 5 && other < 8; ++other)
      most_ns = std::max(most_ns, drawn_ns(other, i) + apart_ns / 100);
    return most_ns;
  };
  return diagnose_hosts(8, 1, 2 * kTimes, [&](int32_t rank, unsigned i) {
    const auto self = static_cast<size_t>(rank);
    uint64_t last_ns = 0;
    for (int32_t other = 0; other < 8; ++other) last_ns = std::max(last_ns, work_ns(other, i));
    const uint64_t begun_ns = 2'000 * kMs + i * 40 * kMs;
    driver::RankOperation op;
    op.sequence = i;
    op.channels = 1;
    op.call_ns = begun_ns + work_ns(rank, i);
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.sent_ns = begun_ns + last_ns + ends.sent_ns[self];
    op.received_ns = op.finish_ns = begun_ns + last_ns + ends.received_ns[self];
    return op;
  });
}

TEST(SlowParts, NameNoEdgeForWhatIsSmallBesideRanksOwnWork) {
  const Judged calm = judge_beside_own_work(0, Last::AlwaysOne);
  const Judged apart = judge_beside_own_work(20 * kMs, Last::AlwaysOne);
  ASSERT_EQ(calm.findings.size(), 1u) << all_text(calm);
  EXPECT_EQ(calm.findings[0].culprits, std::vector<int32_t>{3}) << calm.text();
  EXPECT_TRUE(apart.findings.empty()) << all_text(apart);
}

TEST(SlowParts, NameTheEdgeThatIsSlowWhicheverHostStartsLast) {
  const Judged apart = judge_beside_own_work(20 * kMs, Last::NowThisNowThat);
  ASSERT_EQ(apart.findings.size(), 1u) << all_text(apart);
  EXPECT_EQ(apart.findings[0].culprits, std::vector<int32_t>{3}) << apart.text();
}

TEST(SlowParts, FollowTheRingThatNetworkOperationsName) {
  Ring ring(8);
  ring.rank_at = {0, 3, 1, 2, 7, 4, 6, 5};
  ring.link_ns[5] = 300 * kUs;
  const Judged judged = judge_ring(ring, 1);
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{4}) << judged.text();
  EXPECT_NE(judged.text().find("sends to rank 6"), std::string::npos) << judged.text();
}

TEST(SlowParts, SayWhatTheyCostTheRun) {
  Ring ring(8);
  ring.link_ns[1] = 300 * kUs;
  const Judged judged = judge_ring(ring, 2);
  ASSERT_EQ(judged.findings.size(), 1u);
  const auto& facts = std::get<PathFacts>(judged.findings[0].facts);
  EXPECT_FALSE(facts.steps);
  EXPECT_GT(facts.gain_share, 0.02);
  EXPECT_LT(facts.gain_share, 0.5);
  EXPECT_NE(judged.text().find("the run would be"), std::string::npos) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
