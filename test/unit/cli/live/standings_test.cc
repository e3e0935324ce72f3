#include "cli/live/standings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::cli {
namespace {

std::string mark(const char* func, int ordinal, int collectives) {
  return std::string("{\"func\":\"") + func + "\",\"ordinal\":" + std::to_string(ordinal) +
         ",\"collectives\":" + std::to_string(collectives) + ",\"age_ns\":12300000000}";
}

// A rank that has issued and waits in AllReduce #`issued`, or waits in nothing.
std::string row(int rank, int ranks, int issued, bool waits) {
  const std::string last = mark("AllReduce", issued, issued + 1);
  return "{\"host\":\"node" + std::to_string(rank / 8) +
         "\",\"pid\":" + std::to_string(100 + rank) +
         ",\"id\":\"0xfeed\",\"name\":\"world\",\"rank\":" + std::to_string(rank) +
         ",\"ranks\":" + std::to_string(ranks) + ",\"issued\":" + last + ",\"started\":" + last +
         ",\"ended\":" + mark("AllReduce", issued - 1, issued) +
         ",\"in_flight\":1,\"waiting\":" + (waits ? last : "null") + "}";
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Standings, ThousandRanksThatHangFitAScreenAndTheLaggardComesFirst) {
  std::string rows = "[";
  for (int rank = 0; rank < 1024; ++rank)
    rows += (rank == 0 ? "" : ",") + row(rank, 1024, rank == 512 ? 4710 : 4711, rank != 512);
  const auto comms = standings_of(rows + "]");
  ASSERT_EQ(comms.size(), 1u);
  EXPECT_EQ(comms[0].standings[0].rank, 512);
  EXPECT_EQ(comms[0].standings[0].behind_issued, 1u);
  const std::string text = standings_text(comms, 16);
  EXPECT_EQ(lines_of(text), 4u) << text;
  EXPECT_NE(text.find("\n512  "), std::string::npos) << text;
  EXPECT_NE(text.find("\n0-511,513-1023 "), std::string::npos) << text;
  EXPECT_LT(text.find("\n512  "), text.find("\n0-511"));
}

TEST(Standings, RanksThatAllStandElsewhereStillFitAScreen) {
  std::string rows = "[";
  for (int rank = 0; rank < 1024; ++rank)
    rows += (rank == 0 ? "" : ",") + row(rank, 1024, 1000 + rank, true);
  const std::string text = standings_text(standings_of(rows + "]"), 16);
  EXPECT_LE(lines_of(text), 20u) << text;
  EXPECT_NE(text.find("and 1008 ranks no further behind than 1008: 16-1023"), std::string::npos)
      << text;
}

TEST(Standings, NamesRanksOfWhichNobodyAnswered) {
  const auto comms = standings_of("[" + row(1, 4, 7, true) + "," + row(2, 4, 7, true) + "]");
  EXPECT_NE(standings_text(comms, 16).find("no answer for ranks 0,3"), std::string::npos);
}

TEST(Standings, ARankCountThatCannotBeCostsNoMemory) {
  const std::string rows =
      R"([{"id": "0xc0", "rank": 1, "ranks": 9223372036854775807, "issued": {"func": "AllReduce"}}])";
  EXPECT_NE(standings_text(standings_of(rows), 16).find("no answer for ranks 0,2-"),
            std::string::npos);
}

TEST(Standings, WhatIsNoAnswerIsNoStanding) {
  EXPECT_TRUE(standings_of("").empty());
  EXPECT_TRUE(standings_of("{}").empty());
  EXPECT_TRUE(standings_of("[1, null]").empty());
  EXPECT_EQ(standings_text({}, 16), "No communicator is open now.\n");
}

}  // namespace
}  // namespace lockstep::cli
