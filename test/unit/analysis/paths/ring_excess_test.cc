// Which edges of a ring are slow, by its ends and its network steps.
#include "analysis/paths/ring_excess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// A ring of four hosts whose operations take 4 ms: rank 3 is done so much after rank 2, and rank 0 before rank 3.
struct RingOfFour {
  uint64_t steps = 12;  // over an edge
  int64_t later_us = 160;
  int64_t apart_us = 0;
  bool whoever = false;  // known to be so whichever host starts last
  size_t channels = 0;
  std::vector<int64_t> lags_us = {};  // by edge, where 30 us are usual
  size_t hosts = 4;

  // more_us: by so much the operations take longer than usual.
  std::vector<TransferExcess> judge(int64_t more_us = 0) const {
    RunTables run;
    RingSeries series;
    series.alike = {run.strings.intern("AllReduce"), 1 << 20, 4, hosts};
    series.actors = {0, 1, 2, 3};
    series.steps = steps;
    series.channels = channels;
    SeenRing seen;
    seen.together = true;
    seen.apart_ns = apart_us * kUs;
    const auto always = [](int64_t us) { return middle_of(std::vector<int64_t>(40, us * kUs)); };
    seen.time = always(4'000);
    seen.passages.resize(4);
    seen.least_passages.resize(4);
    UsualEdge usual;
    usual.later_ns = usual.beside_ns = 0;
    for (const int64_t us : {int64_t{0}, int64_t{0}, later_us, -later_us}) {
      EdgeSamples edge;
      edge.from = static_cast<uint32_t>(series.edges.size());
      edge.to = (edge.from + 1) % 4;
      edge.network = true;
      series.edges.push_back(edge);
      seen.edges.emplace_back();
      seen.edges.back().later = always(us);
      if (whoever) seen.edges.back().least_later = {always(us), 2};
      if (!lags_us.empty()) seen.edges.back().lag = always(lags_us[seen.edges.size() - 1]);
    }
    if (!lags_us.empty()) usual.lag_ns = 30 * kUs;
    return excesses_of_ring(run, series, seen, std::vector<UsualEdge>(4, usual), more_us * kUs);
  }
};

// Of many steps one passage, which is what ends show, is a small part of the time, and of the cost.
TEST(RingExcess, CountsWhatEndsShowByTheStepsBehindIt) {
  EXPECT_TRUE(RingOfFour{12}.judge().empty());
  const std::vector<TransferExcess> many = RingOfFour{48}.judge();
  ASSERT_EQ(many.size(), 1u);
  EXPECT_EQ(many[0].actors, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(many[0].excess_ns, 640 * kUs);
}

// Four hosts of two ranks; data goes from rank 1 to rank 2, from 3 to 4, from 5 to 6 and from 7 to 0.
struct RingOfHosts {
  RingOfHosts() : edges(8) {
    for (uint32_t i = 0; i < edges.size(); ++i) {
      edges[i].from = i;
      edges[i].to = (i + 1) % 8;
      edges[i].network = i % 2 == 1;
    }
  }
  // more_us: by so much the operations take longer than usual.
  std::vector<TransferExcess> judge(int64_t more_us = 0) const {
    RunTables run;
    RingSeries series;
    series.alike = {run.strings.intern("AllReduce"), 1 << 20, 8, 4};
    series.actors = {0, 1, 2, 3, 4, 5, 6, 7};
    series.edges = edges;
    series.steps = series.sends = steps;
    series.times.assign(40, 4'000 * kUs);
    series.apart.assign(40, 4'000 * kUs);
    series.matches.resize(40);
    series.last = last;
    for (EdgeSamples& edge : series.edges) edge.later.resize(40, kNoTime);
    std::vector<uint32_t> all(40);
    std::iota(all.begin(), all.end(), 0u);
    SeenRing seen = look_at_ring(series, all);
    seen.apart_ns = apart_us * kUs;
    UsualEdge usual;
    usual.later_ns = usual.beside_ns = 0;
    usual.lag_ns = 5 * kUs;
    usual.wire_ns = 60 * kUs;
    usual.work_ns = 30 * kUs;
    return excesses_of_ring(run, series, seen, std::vector<UsualEdge>(8, usual),
                            more_us * static_cast<int64_t>(kUs));
  }
  static std::vector<int64_t> always(int64_t us) {
    return std::vector<int64_t>(40, us * static_cast<int64_t>(kUs));
  }
  std::vector<EdgeSamples> edges;
  std::vector<Text> last;  // by operation: the host that starts last
  int64_t apart_us = 0;    // usually, where that counts
  uint64_t steps = 28;
};

TEST(RingExcess, NamesAReceiverThatIsDoneLateAndNobodyBeforeIt) {
  RingOfHosts ring;
  ring.edges[3].lag = ring.always(505);
  for (const size_t i : {1u, 2u, 3u}) ring.edges[i].later = ring.always(i == 1 ? 300 : 600);
  for (const size_t i : {5u, 7u}) ring.edges[i].later = ring.always(-750);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(found[0].side, SlowSide::Receiver);
  EXPECT_EQ(found[0].across_ns, 500 * kUs)
      << "by the clocks of both hosts: 505 us where 5 is usual";
}

// What cannot leave host 2, of ranks 4 and 5, is not taken up there either.
TEST(RingExcess, NamesTheWayOutOfAHostWhereItsReceiverIsHeldUpByThat) {
  RingOfHosts ring;
  ring.edges[3].lag = ring.always(505);
  for (const size_t i : {3u, 4u, 5u}) ring.edges[i].later = ring.always(600);
  for (const size_t i : {1u, 7u}) ring.edges[i].later = ring.always(-600);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{5, 6}));
  EXPECT_EQ(found[0].side, SlowSide::SenderOrLink);
  EXPECT_TRUE(found[0].sure);
}

// Host 2's way to the network is slow in both directions, so that host 1 cannot send, and is held up where it receives.
TEST(RingExcess, NamesBothWaysOfAHostAndNotTheReceiverBeforeIt) {
  RingOfHosts ring;
  ring.edges[1].lag = ring.always(505);
  ring.edges[1].later = ring.always(60);
  ring.edges[3].later = ring.always(600);
  ring.edges[5].later = ring.always(560);
  ring.edges[7].later = ring.always(-1220);
  std::vector<std::vector<uint32_t>> named;
  for (const TransferExcess& one : ring.judge()) named.push_back(one.actors);
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (std::vector<std::vector<uint32_t>>{{3, 4}, {5, 6}}));
}

// Late starts move the end between them, but the second way never takes longer than the others.
TEST(RingExcess, NamesTheOneWayThatIsSlowWhereTheNextVariesWithIt) {
  RingOfHosts ring;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  for (const size_t i : {1u, 3u}) ring.edges[i].later = ring.always(-150);
  for (size_t i = 0; i < 40; i += 2) {
    ring.edges[5].later[i] = 1'000 * static_cast<int64_t>(kUs);
    ring.edges[7].later[i] = -700 * static_cast<int64_t>(kUs);
    ring.edges[5].later[i + 1] = 500 * static_cast<int64_t>(kUs);
    ring.edges[7].later[i + 1] = -200 * static_cast<int64_t>(kUs);
  }
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{5, 6}));
}

// Host 2's two ways share what they take longer, by who starts last: now the one has more of it and now the other.
RingOfHosts ring_of_a_host_that_takes_turns(int64_t longer_us) {
  RingOfHosts ring;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  for (const size_t i : {1u, 7u}) ring.edges[i].later = ring.always(-longer_us / 2);
  for (size_t i = 0; i < 40; ++i) {
    const size_t more = i % 2 == 0 ? 5 : 3, less = i % 2 == 0 ? 3 : 5;
    ring.edges[more].later[i] = longer_us * 3 / 4 * static_cast<int64_t>(kUs);
    ring.edges[less].later[i] = longer_us / 4 * static_cast<int64_t>(kUs);
    ring.last.push_back(static_cast<Text>(i % 2));
  }
  ring.apart_us = 1'000;
  return ring;
}

TEST(RingExcess, NamesBothWaysOfAHostWhoseSumIsTheSameWhicheverHostStartsLast) {
  RingOfHosts ring = ring_of_a_host_that_takes_turns(600);
  std::set<std::vector<uint32_t>> named;
  for (const TransferExcess& one : ring.judge()) {
    named.insert(one.actors);
    EXPECT_EQ(one.last_starters, 2u);
    EXPECT_EQ(one.excess_ns, 700 * kUs) << "300 us and, with 28 steps, more that ends do not show";
  }
  EXPECT_EQ(named, (std::set<std::vector<uint32_t>>{{3, 4}, {5, 6}}));
  ring.last.assign(40, 1);
  EXPECT_TRUE(ring.judge().empty()) << "always the same host starts last";
}

// 120 of 4,000 us: by one passage of many.
TEST(RingExcess, NamesBothWaysOfAHostThatShowLittleOfManySteps) {
  RingOfHosts ring = ring_of_a_host_that_takes_turns(120);
  EXPECT_TRUE(ring.judge().empty());
  ring.steps = 56;
  EXPECT_EQ(ring.judge().size(), 2u);
}

// Two ways of many steps, each later by 1 % of the time, whichever host starts last.
TEST(RingExcess, DoesNotTakeForSlowWhatIsFarAwayOnly) {
  const auto found_of = [](size_t one, size_t other) {
    RingOfHosts ring;
    ring.steps = 96;
    for (size_t i = 0; i < 8; ++i)
      ring.edges[i].later = ring.always(i % 2 == 0 ? 0 : i == one || i == other ? 40 : -40);
    for (size_t i = 0; i < 40; ++i) ring.last.push_back(static_cast<Text>(i % 2));
    return ring.judge().size();
  };
  EXPECT_EQ(found_of(1, 5), 0u);
  EXPECT_EQ(found_of(3, 5), 2u) << "both ways of one host";
}

TEST(RingExcess, NamesTheWayOutOfAHostWhoseLastRankAloneIsDoneLate) {
  RingOfHosts ring;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  ring.edges[2].later = ring.always(1'000);
  ring.edges[3].later = ring.always(-1'000);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(found[0].across_ns, 0) << "the clock of one host shows it";
  ring.edges[3].wire = ring.always(60);
  EXPECT_EQ(ring.judge().at(0).actors, (std::vector<uint32_t>{2, 3})) << "steps there are fast";
}

// Four ranks on a host, of which all but the first wait for room.
TEST(RingExcess, NamesTheWayOutOnceForAllRanksOfAHostThatWaitBeforeIt) {
  RingOfHosts ring;
  ring.edges[1].network = false;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  for (const size_t i : {0u, 1u, 2u}) ring.edges[i].later = ring.always(700);
  ring.edges[3].later = ring.always(-2'100);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{3, 4}));
  EXPECT_GE(found[0].excess_ns, 2'000 * kUs) << "what both edges show";
}

// Buffers are full through three hosts: more than one slow host's two ways explain.
TEST(RingExcess, NamesTheWayOutBehindARowOfLags) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u, 5u}) {
    ring.edges[i].lag = ring.always(505);
    ring.edges[i].later = ring.always(900);
  }
  ring.edges[7].later = ring.always(600);
  for (const size_t i : {0u, 2u, 4u, 6u}) ring.edges[i].later = ring.always(-825);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{7, 0}));
  EXPECT_TRUE(found[0].sure);
}

// Two lags, and behind them a way that only its end shows: three slow ways in a row.
TEST(RingExcess, NamesTheLastOfThreeWaysInARowOfWhichTwoLag) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u}) {
    ring.edges[i].lag = ring.always(505);
    ring.edges[i].later = ring.always(900);
  }
  ring.edges[5].later = ring.always(600);
  ring.edges[7].later = ring.always(-800);
  for (const size_t i : {0u, 2u, 4u, 6u}) ring.edges[i].later = ring.always(-400);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{5, 6}));
}

// Eight hosts of a rank each. Before the slow way three others wait for room.
std::vector<std::vector<uint32_t>> slow_edges_of_eight(const std::vector<int64_t>& later_us) {
  RunTables run;
  RingSeries series;
  series.alike = {run.strings.intern("AllReduce"), 1 << 20, 8, 8};
  series.in_order = true;
  SeenRing seen;
  seen.together = true;
  seen.time = middle_of(std::vector<int64_t>(40, 4'000 * kUs));
  seen.passages.resize(8);
  seen.least_passages.resize(8);
  for (uint32_t rank = 0; rank < 8; ++rank) {
    EdgeSamples edge;
    edge.from = rank;
    edge.to = (rank + 1) % 8;
    edge.network = true;
    series.edges.push_back(edge);
    series.actors.push_back(rank);
    seen.edges.emplace_back();
    seen.edges.back().later = middle_of(std::vector<int64_t>(40, later_us[rank] * 1'000));
  }
  UsualEdge usual;
  usual.later_ns = 0;
  usual.beside_ns = -500 * 1'000;
  std::vector<std::vector<uint32_t>> edges;
  for (const TransferExcess& one :
       excesses_of_ring(run, series, seen, std::vector<UsualEdge>(8, usual), 0))
    edges.push_back(one.actors);
  return edges;
}

TEST(RingExcess, NamesTheLastOfARowOfWaysThatShowAsMuch) {
  using Edges = std::vector<std::vector<uint32_t>>;
  EXPECT_EQ(slow_edges_of_eight({-500, 300, 500, 500, 400, -500, -500, -200}), (Edges{{4, 5}}));
}

TEST(RingExcess, NamesBothWaysOfAHostWhereThatIntoItShowsLessThanThoseBefore) {
  using Edges = std::vector<std::vector<uint32_t>>;
  EXPECT_EQ(slow_edges_of_eight({-500, 400, 800, 500, 300, -500, -500, -500}),
            (Edges{{3, 4}, {4, 5}}));
}

TEST(RingExcess, NamesAReceiverThatHoldsUpSeveralHostsBeforeIt) {
  RingOfHosts ring;
  ring.edges[7].lag = ring.always(505);
  for (const size_t i : {3u, 5u, 7u}) ring.edges[i].later = ring.always(600);
  ring.edges[1].later = ring.always(-1'800);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{7, 0}));
  EXPECT_EQ(found[0].side, SlowSide::Receiver);
}

// Four passages of 200 us each.
TEST(RingExcess, DoesNotTakeALagForWhatItIsTooSmallFor) {
  RingOfHosts ring;
  ring.edges[3].lag = ring.always(205);
  EXPECT_EQ(ring.judge(1'000).size(), 1u);
  EXPECT_TRUE(ring.judge(4'000).empty());
}

// The second of two hosts sends over a slow link, and so does not take up what the first sends.
TEST(RingExcess, NamesASlowLinkAndNotItsHostsReceiver) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u, 5u, 7u}) {
    ring.edges[i].wire = ring.always(i == 5 ? 400 : 60);
    ring.edges[i].work = ring.always(i == 5 ? 130 : 30);
  }
  ring.edges[3].lag = ring.always(505);
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{5, 6}));
  EXPECT_EQ(found[0].side, SlowSide::Link);
}

// The network works on each of 28 steps 100 us longer, and most of the 4 ms at all.
TEST(RingExcess, CountsAllStepsOfALinkThatSetsThePace) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u, 5u, 7u}) {
    ring.edges[i].wire = ring.always(i == 3 ? 400 : 60);
    ring.edges[i].work = ring.always(i == 3 ? 130 : 30);
  }
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].side, SlowSide::Link);
  EXPECT_EQ(found[0].excess_ns, 2'800 * static_cast<int64_t>(kUs));
}

// Steps that wait behind each other take far longer than the network works on them. Without the slow link its 28 steps of
// 30 us would still have to be sent.
TEST(RingExcess, CountsNoMoreOfALinkThanItsUsualWorkLeaves) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u, 5u, 7u}) {
    ring.edges[i].wire = ring.always(i == 3 ? 1'000 : 60);
    ring.edges[i].work = ring.always(i == 3 ? 130 : 30);
  }
  const std::vector<TransferExcess> found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].excess_ns, 3'160 * static_cast<int64_t>(kUs));
  EXPECT_EQ(found[0].usual_ns, 840 * static_cast<int64_t>(kUs));
}

// Hosts of two ranks each, of which one channel enters at the first and leaves at the second. What leaves the
// second host is slow, and what comes into it waits for that.
TEST(RingExcess, DoesNotBlameWhoIsBackedUp) {
  RunTables run;
  RingSeries series;
  series.alike = {run.strings.intern("AllReduce"), 1 << 20, 8, 4};
  series.channels = 2;
  SeenRing seen;
  seen.together = true;
  const auto always = [](int64_t us) { return middle_of(std::vector<int64_t>(40, us * kUs)); };
  seen.time = always(4'000);
  seen.passages.resize(4);
  seen.least_passages.resize(4);
  UsualEdge usual;
  usual.later_ns = usual.beside_ns = usual.lag_ns = 0;
  const int64_t later_us[] = {400, 800, -600, -600}, lag_us[] = {300, 500, 0, 0};
  for (uint32_t host = 0; host < 4; ++host) {
    EdgeSamples edge;
    edge.from = 2 * host + 1;
    edge.to = (2 * host + 2) % 8;
    edge.network = true;
    series.edges.push_back(edge);
    seen.edges.emplace_back();
    seen.edges.back().later = always(later_us[host]);
    seen.edges.back().lag = always(lag_us[host]);
  }
  const std::vector<UsualEdge> each(4, usual);
  const std::vector<TransferExcess> found = excesses_of_ring(run, series, seen, each, 0);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(found[0].side, SlowSide::Receiver);
}

// Of two hosts there is one edge each way: clocks that are apart make one longer and the other as much shorter.
TEST(RingExcess, OfTwoHostsIsComparedWithWhatTheirClocksMakeShorter) {
  RingOfFour ring{48, 160, 100, true};
  EXPECT_FALSE(ring.judge().at(0).usual_across);
  ring.hosts = 2;
  EXPECT_TRUE(ring.judge().at(0).usual_across);
}

TEST(RingExcess, DoesNotTakeLateStartsForManySteps) {
  EXPECT_TRUE((RingOfFour{48, 160, 100}.judge().empty()));
  EXPECT_EQ((RingOfFour{48, 160, 100, true}.judge().size()), 1u) << "no trace of starts";
}

// Steps from rank 2 take three times as long in the network. When they are seen to come, two clocks tell.
TEST(RingExcess, BelievesWhatOneClockShowsBeforeWhatTwoDo) {
  RingOfHosts ring;
  for (const size_t i : {1u, 3u, 5u, 7u}) {
    ring.edges[i].lag = ring.always(5);
    ring.edges[i].wire = ring.always(60);
    ring.edges[i].work = ring.always(30);
  }
  ring.edges[3].lag = ring.always(505);
  ASSERT_EQ(ring.judge().size(), 1u);
  EXPECT_TRUE(is_of_receiver(ring.judge()[0].side));
  EXPECT_FALSE(ring.judge()[0].usual_across) << "others' clocks may be known well";
  ring.edges[3].wire = ring.always(260);
  ring.edges[3].work = ring.always(230);
  ASSERT_EQ(ring.judge().size(), 1u);
  EXPECT_EQ(ring.judge()[0].side, SlowSide::Link);
}

// The edges behind the slow one show a little of it each, as does a host's way out: but only one of them is that.
TEST(RingExcess, FollowsASlowWayInNoFurtherThanItsHost) {
  RingOfHosts ring;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  ring.edges[1].later = ring.always(1'000);
  ring.edges[3].later = ring.edges[5].later = ring.always(90);
  const auto found = ring.judge(1'500);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(found[1].actors, (std::vector<uint32_t>{3, 4}));
}

// Rank 3 empties its buffers slowly, so that rank 2 is held up.
TEST(RingExcess, NamesTheReceiverThatHoldsUpTheOneBefore) {
  RingOfHosts ring;
  for (EdgeSamples& edge : ring.edges) edge.later = ring.always(0);
  for (const size_t i : {1u, 3u, 5u, 7u}) ring.edges[i].lag = ring.always(5);
  ring.edges[1].lag = ring.always(305);
  ring.edges[3].lag = ring.always(605);
  ring.edges[1].later = ring.always(300);
  ring.edges[3].later = ring.always(900);
  const auto found = ring.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{3, 4}));
  EXPECT_TRUE(is_of_receiver(found[0].side));
  ring.edges[1].lag = ring.always(505);
  EXPECT_EQ(ring.judge().size(), 2u) << "nearly as much: a way that takes long in both directions";
}

// Rank 3 receives 270 us late, in 16 passes. Its end shows one of them, as 400 us.
TEST(RingExcess, CountsEachPassOfALateReceiver) {
  const auto found = RingOfFour{48, 400, 0, false, 0, {30, 30, 300, 30}}.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(found[0].side, SlowSide::Receiver);
  EXPECT_EQ(found[0].excess_ns, 3'600 * kUs) << "90 % of 4 ms, the most that is believed";
}

// It receives 30 us late, four times, in operations that take a millisecond longer, and sees its sends late.
TEST(RingExcess, NamesAProxyThreadThatEndsShowLittleOf) {
  EXPECT_TRUE((RingOfFour{12, 0, 0, false, 0, {30, 60, 30, 30}}.judge(1'000).empty()));
  const auto found = RingOfFour{12, 0, 0, false, 0, {30, 60, -20, 30}}.judge(1'000);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(found[0].excess_ns, 1'000 * kUs);
}

// 270 of 4,000 us are less than 8 %, 360 are not.
TEST(RingExcess, CountsOfAChannelWhatItsEdgesShowBesideTheirMean) {
  EXPECT_TRUE((RingOfFour{12, 270}.judge().empty()));
  const std::vector<TransferExcess> found = RingOfFour{12, 270, 0, false, 2}.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].excess_ns, 360 * kUs);
}

}  // namespace
}  // namespace lockstep::analysis
