// Reductions along a chain over four hosts of one or two ranks: rank 0 has the last data of all, and the
// chain begins at rank 1. Every edge between hosts takes 1,000 us, of which 250 go ahead of a late receiver.
#include "analysis/transfers/chain_edges.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

struct Member {
  Text host = 0;
  int32_t sends_to = -1, receives_from = -1;
  int64_t start_us = 0, end_us = 0, received_us = -1;
  uint8_t channel = 0;  // on which it sends
};

using Members = std::vector<Member>;

// One chain after another, of the same ranks.
std::vector<ChainEdge> edges_of(const std::vector<Members>& chains, bool channels) {
  RunTables run;
  std::vector<uint32_t> matches;
  for (const Members& members : chains) {
    MatchRow match;
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = static_cast<uint32_t>(members.size());
    matches.push_back(static_cast<uint32_t>(run.matches.size()));
    run.matches.push_back(match);
    int32_t rank = 0;
    for (const Member& member : members) {
      const auto row = static_cast<uint32_t>(run.operations.size());
      run.processes.emplace_back();
      run.processes.back().host = member.host;
      OperationRow operation;
      operation.process = row;
      operation.rank = rank++;
      operation.peer = 0;
      operation.send_peer = member.sends_to;
      operation.receive_peer = member.receives_from;
      operation.kernel_stop_ns = member.end_us * kUs;
      if (member.received_us >= 0) operation.received_ns = member.received_us * kUs;
      run.operations.push_back(operation);
      if (member.sends_to >= 0 && channels) {
        ChannelEndRow end;
        end.operation = row;
        end.peer = static_cast<uint32_t>(member.sends_to) & 0xffffffu;
        end.channel = member.channel & 0x7fu;
        end.is_send = 1;
        run.channel_ends.push_back(end);
      }
      ArrivalRow arrival;
      arrival.operation = row;
      arrival.match = matches.back();
      arrival.rank = operation.rank;
      arrival.arrival_ns = member.start_us * kUs;
      run.arrivals.push_back(arrival);
    }
  }
  return chain_edges(run, AlikeSizes(run), matches);
}
std::vector<ChainEdge> edges_of(const Members& members, bool channels = true) {
  return edges_of(std::vector<Members>{members}, channels);
}

// One rank a host: 1 -> 2 -> 3 -> 0.
Members four_hosts() {
  return {{1, -1, 3, 0, 1'101, 1'100},
          {2, 2, -1, 0, 800, -1},
          {3, 3, 1, 0, 900, 1'000},
          {4, 0, 2, 0, 1'000, 1'050}};
}

TEST(ChainEdges, TheFirstEdgeMovesAllFromTheBeginningAndTheOthersWhatTheyAreFed) {
  const std::vector<ChainEdge> edges = edges_of(four_hosts());
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].from, 1u);
  EXPECT_EQ(edges[0].to, 2u);
  EXPECT_EQ(edges[0].begin, Begin::Whole);
  EXPECT_EQ(edges[0].begun_ns, 0);
  EXPECT_EQ(edges[0].done_ns, 1'000 * kUs);
  EXPECT_EQ(edges[1].begin, Begin::Fed);
  EXPECT_EQ(edges[1].begun_ns, 1'000 * kUs);
  EXPECT_EQ(edges[2].begin, Begin::Fed);
  EXPECT_EQ(edges[2].begun_ns, 1'050 * kUs);
}

TEST(ChainEdges, ARankThatBeginsLateInTheMiddleOfItsHostHoldsBackTheWhole) {
  // Ranks 1 and 2 share a host; 1 has handed over all it has when 2 begins.
  const std::vector<ChainEdge> edges = edges_of({{1, -1, 3, 0, 1'901, 1'900},
                                                 {2, -1, -1, 800, 850, -1},
                                                 {2, 3, -1, 0, 1'600, -1},
                                                 {3, 0, 2, 0, 1'700, 1'800}});
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].begin, Begin::Whole);
  EXPECT_EQ(edges[0].begun_ns, 800 * kUs);
}

TEST(ChainEdges, AHostThatBeginsLongAfterTheDataCameMovesTheWhole) {
  Members members = four_hosts();
  members[2] = {3, 3, 1, 2'000, 2'700, 2'750};
  members[3] = {4, 0, 2, 0, 2'900, 3'000};
  members[0] = {1, -1, 3, 0, 3'051, 3'050};
  const std::vector<ChainEdge> edges = edges_of(members);
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].begin, Begin::Waited);
  EXPECT_EQ(edges[1].begin, Begin::Whole);
  EXPECT_EQ(edges[1].begun_ns, 2'000 * kUs);
  EXPECT_EQ(edges[2].begin, Begin::Fed);
}

// Rank 3 begins 1,000 us after rank 2, but only 100 us after rank 1, where the data comes from.
TEST(ChainEdges, NothingComesToAHostBeforeTheFirstRankOfItsChainBegins) {
  const std::vector<ChainEdge> edges = edges_of({{1, -1, 3, 0, 2'001, 2'000},
                                                 {2, 2, -1, 900, 1'700, -1},
                                                 {3, 3, 1, 0, 1'800, 1'900},
                                                 {4, 0, 2, 1'000, 1'900, 1'950}});
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[2].from, 3u);
  EXPECT_EQ(edges[2].begin, Begin::Fed);
}

// As four_hosts(), but the last of the data takes 250 us over each edge. Rank 2's host begins after 1's, and is done
// `ends_us` after the data came to it.
Members through_four_hosts(int64_t begins_us, int64_t ends_us) {
  const int64_t there_us = 1'000 + ends_us;
  return {{1, -1, 3, 0, there_us + 251, there_us + 250},
          {2, 2, -1, 0, 800, -1},
          {3, 3, 1, begins_us, there_us, 1'000},
          {4, 0, 2, 0, there_us + 250, there_us}};
}
// How the last of these chains crosses the edge from rank 2, after eight that all begin together.
std::vector<Begin> after_eight(const Members& last) {
  std::vector<Members> chains(8, through_four_hosts(0, 250));
  chains.push_back(last);
  std::vector<Begin> begins;
  for (const ChainEdge& edge : edges_of(chains, true)) {
    if (edge.match == 8 && edge.done_ns == last[3].received_us * kUs) begins.push_back(edge.begin);
  }
  return begins;
}

TEST(ChainEdges, OfAHostThatBeginsLateNothingIsToldIfTheLastOfTheDataAloneLetItEndNoSooner) {
  EXPECT_EQ(after_eight(through_four_hosts(0, 250)), std::vector<Begin>{Begin::Fed});
  EXPECT_EQ(after_eight(through_four_hosts(300, 250)), std::vector<Begin>{});
  EXPECT_EQ(after_eight(through_four_hosts(300, 300)), std::vector<Begin>{Begin::Whole});
}

TEST(ChainEdges, HowLongTheLastOfTheDataTakesIsTakenFromTheEdgeWhereItIsShortest) {
  std::vector<Members> chains(8, through_four_hosts(0, 700));  // rank 2 sends slowly
  chains.push_back(through_four_hosts(300, 700));
  EXPECT_EQ(edges_of(chains, true)[8 * 3 + 1].begin, Begin::Whole);
}

// Three hosts of two ranks. Channel 0 enters each at its first rank and leaves it at its second: 1 -> 2, 3 -> 4, 5 -> 0.
// Channel 1 goes the other way through each host, takes twice as long, and begins behind the root: 2 -> 5, 4 -> 1.
Members two_ways() {
  return {{1, -1, 5, 0, 2'101, 1'200, 0}, {1, 2, 4, 0, 2'102, 2'100, 0},
          {2, 5, 1, 0, 1'900, 1'000, 1},  {2, 4, -1, 0, 1'901, -1, 0},
          {3, 1, 3, 0, 2'090, 1'100, 1},  {3, 0, 2, 0, 2'091, 2'000, 0}};
}
const ChainEdge* edge_from(const std::vector<ChainEdge>& edges, uint32_t rank) {
  for (const ChainEdge& edge : edges) {
    if (edge.from == rank) return &edge;
  }
  return nullptr;
}

// Channel 1 passes all of host 2 before it leaves it, and of the root's host only what lies behind the root.
TEST(ChainEdges, EachChannelsAreFedByTheEdgeBeforeThemOnTheSameChannel) {
  const std::vector<ChainEdge> edges = edges_of(two_ways());
  ASSERT_EQ(edges.size(), 5u);
  EXPECT_EQ(edge_from(edges, 1)->begin, Begin::Whole);
  EXPECT_EQ(edge_from(edges, 3)->begin, Begin::Fed);
  EXPECT_EQ(edge_from(edges, 3)->begun_ns, 1'000 * kUs);
  EXPECT_EQ(edge_from(edges, 5)->begun_ns, 1'100 * kUs);
  EXPECT_EQ(edge_from(edges, 2)->begin, Begin::Passed);
  EXPECT_EQ(edge_from(edges, 2)->begun_ns, 0);
  EXPECT_EQ(edge_from(edges, 4)->begin, Begin::Fed);
  EXPECT_EQ(edge_from(edges, 4)->begun_ns, 2'000 * kUs);
}

TEST(ChainEdges, OfSeveralWaysNothingIsToldWhereTheirChannelsAreNotRecorded) {
  EXPECT_TRUE(edges_of(two_ways(), false).empty());
  EXPECT_EQ(edges_of(four_hosts(), false).size(), 3u);
}

// In whatever order the ranks of a host end, each channel passes all of them.
TEST(ChainEdges, OnEachChannelALateRankHoldsBackWhatBeginsOnItsHost) {
  Members members = two_ways();
  members[3].start_us = 800;
  EXPECT_EQ(edge_from(edges_of(members), 2)->begun_ns, 800 * kUs);
}

// Whether channel 0 passes rank 0 before it leaves the root's host is not known.
TEST(ChainEdges, OfTheRootsHostNothingIsToldWhereItsRanksBeginApart) {
  Members members = two_ways();
  members[0].start_us = 500;
  const std::vector<ChainEdge> edges = edges_of(members);
  EXPECT_EQ(edge_from(edges, 1), nullptr);
  EXPECT_NE(edge_from(edges, 2), nullptr);
}

}  // namespace
}  // namespace lockstep::analysis
