#include "live/places/members.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

StackRow row(int64_t rank, pid_t pid, const std::string& host) {
  StackRow made;
  made.host = host;
  made.standing.rank = rank;
  made.stacks.pid = pid;
  return made;
}

TEST(Ranges, JoinNeighboursAndNameGaps) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({3, 1, 2, 0, 7, 7, 9, 8}), "0-3,7-9");
}

TEST(Ranges, OfAThousandRanksButOneAreTwo) {
  std::vector<int64_t> ranks;
  for (int64_t rank = 0; rank < 1024; ++rank)
    if (rank != 512) ranks.push_back(rank);
  EXPECT_EQ(ranges(ranks), "0-511,513-1023");
}

TEST(Ranges, AreReadAsTheyAreWritten) {
  EXPECT_EQ(parse_ranges("0-3,7").value(), (std::vector<int64_t>{0, 1, 2, 3, 7}));
  EXPECT_EQ(parse_ranges("7,7,3-4").value(), (std::vector<int64_t>{3, 4, 7}));
}

TEST(Ranges, OfAnotherShapeAreRefusedWithAnExample) {
  for (const char* wrong : {"", "a", "3-", "-3", "4-3", "1,,2", "1,", "0-99999999999", "1 2"}) {
    const auto numbers = parse_ranges(wrong);
    ASSERT_FALSE(numbers.ok()) << wrong;
    EXPECT_NE(numbers.message().find("0-3,7"), std::string::npos);
  }
}

TEST(Members, AreRanksWhereTheseAreKnownAndProcessesElse) {
  const std::vector<StackRow> rows = {row(4, 100, "a"), row(5, 101, "a"), row(-1, 102, "b")};

  EXPECT_EQ(in_words(Members{0}, rows), "rank 4");
  EXPECT_EQ(in_words(Members{0, 1}, rows), "ranks 4-5");
  EXPECT_EQ(in_words(Members{2}, rows), "process 102 on b");
  EXPECT_EQ(in_words(Members{0, 2}, rows), "rank 4; process 102 on b");
}

TEST(Members, OfOneNumberInSeveralJobsAreThatRank) {
  const std::vector<StackRow> rows = {row(1, 100, "a"), row(1, 101, "b")};
  EXPECT_EQ(in_words(Members{0, 1}, rows), "rank 1");
}

TEST(Members, AreKeptInOrderAndOnce) {
  Members members;
  for (const uint32_t row : {3u, 1u, 3u, 2u}) add_member(&members, row);
  EXPECT_EQ(members, (Members{1, 2, 3}));
}

}  // namespace
}  // namespace lockstep::live
