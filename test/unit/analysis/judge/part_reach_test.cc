#include "analysis/judge/part_reach.h"

#include <memory>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

struct Part {
  unsigned ended = kOperations;
  bool hangs = true;     // rank 1 never calls the last
  bool idle = false;     // both have a communicator besides, on which nothing happens
  bool numbered = true;  // by NCCL itself
};

PartReach reach_of(const Part& part) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < part.ended; ++i) records.operation(operation_at(i, 0));
    if (part.hangs && rank == 0) records.operation(open_at(part.ended));
    driver::RankRecords other(2, 0xd0, rank, 2, static_cast<uint32_t>(10 + rank), &run.strings);
    other.init(1'001 * kMs);
    std::vector<const std::vector<uint64_t>*> threads = {&records.proxy, &records.user};
    if (part.idle) threads.push_back(&other.user);
    run.add(static_cast<uint32_t>(10 + rank), threads, "test");
  }
  const std::unique_ptr<RunTables> tables = run.load();
  for (OperationRow& row : tables->operations) {
    if (!part.numbered) row.seq_number = kNoTime;
  }
  return reach_of(*tables, judge(*tables));
}

TEST(PartReach, ExplainsAHangThatFollowsEnoughOperations) {
  EXPECT_EQ(reach_of(Part()), PartReach::Explains);
}

TEST(PartReach, ShowsNoneWhereEverythingEnded) {
  Part part;
  part.hangs = false;
  EXPECT_EQ(reach_of(part), PartReach::ShowsNone);
}

TEST(PartReach, IsTooShortWhereACommunicatorMayHangSinceEarlier) {
  Part part;
  part.idle = true;
  EXPECT_EQ(reach_of(part), PartReach::IsTooShort);
  part.hangs = false;
  EXPECT_EQ(reach_of(part), PartReach::IsTooShort);
}

TEST(PartReach, IsTooShortWhereTooLittleTellsWhatIsUsual) {
  Part part;
  part.ended = kOperations - 1;
  EXPECT_EQ(reach_of(part), PartReach::IsTooShort);
}

TEST(PartReach, IsTooShortWhereOnlyTheWholeRunCountsTheOperations) {
  Part part;
  part.numbered = false;
  EXPECT_EQ(reach_of(part), PartReach::IsTooShort);
}

}  // namespace
}  // namespace lockstep::analysis
