#include "analysis/join/join_memory.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

TEST(JoinMemory, GivesTheMemoryOfAJoinThatIsOverAndNothingElseOfIt) {
  JoinMemory memory;
  JoinState over = memory.take(10);
  over.from_ns = 5;
  over.out.records = 3;
  over.brief_rows.resize(100);
  over.apis.resize(50);
  over.works.resize(2);
  over.row_at.set(7, 3);
  const BriefRow* rows = over.brief_rows.data();
  memory.give(std::move(over));

  const JoinState next = memory.take(11);
  EXPECT_EQ(next.pid, 11u);
  EXPECT_EQ(next.from_ns, kNoTime);
  EXPECT_EQ(next.out.records, 0u);
  EXPECT_TRUE(next.brief_rows.empty());
  EXPECT_EQ(next.brief_rows.data(), rows);
  EXPECT_GE(next.brief_rows.capacity(), 100u);
  EXPECT_TRUE(next.apis.empty());
  EXPECT_GE(next.apis.capacity(), 50u);
  EXPECT_TRUE(next.works.empty());
  EXPECT_EQ(next.row_at.find(7), IdMap::kNone);
}

TEST(JoinMemory, GivesEachJoinMemoryOfItsOwn) {
  JoinMemory memory;
  JoinState over(10);
  over.apis.resize(50);
  memory.give(std::move(over));
  EXPECT_NE(memory.take(11).apis.capacity(), 0u);
  EXPECT_EQ(memory.take(12).apis.capacity(), 0u);
}

}  // namespace
}  // namespace lockstep::analysis
