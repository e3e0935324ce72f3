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
