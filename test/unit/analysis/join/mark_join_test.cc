#include "analysis/join/mark_join.h"

#include <gtest/gtest.h>

#include "lockstep/record_fields.h"

namespace lockstep::analysis {
namespace {

class MarkJoinTest : public ::testing::Test {
 protected:
  template <typename Record>
  void add(const Record& record, uint32_t tid, int64_t ns) {
    uint64_t words[Record::kWords] = {make_word0(kTagOf<Record>, static_cast<uint64_t>(ns))};
    record.write(words);
    join_.add(words, {tid, ns}, texts_);
  }
  template <typename Record>
  void add_step(uint64_t step, uint32_t tid, int64_t ns) {
    Record record;
    record.step = step;
    add(record, tid, ns);
  }
  void push(uint16_t text, uint16_t domain, uint32_t tid, int64_t ns) {
    RangePushRecord record;
    record.text = text;
    record.domain = domain;
    add(record, tid, ns);
  }
  void pop(uint16_t domain, uint32_t tid, int64_t ns) {
    RangePopRecord record;
    record.domain = domain;
    add(record, tid, ns);
  }
  void finish() { join_.finish(&steps_, &ranges_); }

  const std::vector<Text> texts_{0, 0, 102, 103, 104};
  MarkJoin join_;
  std::vector<MarkedStepRow> steps_;
  std::vector<RangeRow> ranges_;
};

TEST_F(MarkJoinTest, AStepMayEndOnAnotherThreadWhoseRecordsComeFirst) {
  add_step<StepEndRecord>(7, 2, 200);
  add_step<StepBeginRecord>(7, 1, 100);
  finish();
  ASSERT_EQ(steps_.size(), 1u);
  EXPECT_EQ(steps_[0].step, 7u);
  EXPECT_EQ(steps_[0].tid, 1u);
  EXPECT_EQ(steps_[0].start_ns, 100);
  EXPECT_EQ(steps_[0].finish_ns, 200);
}

TEST_F(MarkJoinTest, AStepWithoutItsEndEndsWhereTheNextOneBegins) {
  add_step<StepBeginRecord>(1, 1, 100);
  add_step<StepBeginRecord>(2, 1, 300);
  finish();
  ASSERT_EQ(steps_.size(), 2u);
  EXPECT_EQ(steps_[0].finish_ns, 300);
  EXPECT_EQ(steps_[1].finish_ns, kNoTime);
}

TEST_F(MarkJoinTest, AStepThatOverlapsTheNextKeepsItsOwnEnd) {
  add_step<StepBeginRecord>(1, 1, 100);
  add_step<StepBeginRecord>(2, 1, 300);
  add_step<StepEndRecord>(1, 1, 350);
  add_step<StepEndRecord>(2, 1, 400);
  finish();
  ASSERT_EQ(steps_.size(), 2u);
  EXPECT_EQ(steps_[0].finish_ns, 350);
  EXPECT_EQ(steps_[1].finish_ns, 400);
}

TEST_F(MarkJoinTest, AStepThatBeganBeforeTheRecordingHasNoBeginning) {
  add_step<StepEndRecord>(4, 1, 50);
  add_step<StepBeginRecord>(5, 1, 60);
  finish();
  ASSERT_EQ(steps_.size(), 2u);
  EXPECT_EQ(steps_[0].step, 4u);
  EXPECT_EQ(steps_[0].start_ns, kNoTime);
  EXPECT_EQ(steps_[0].finish_ns, 50);
}

TEST_F(MarkJoinTest, RangesNestByThreadAndDomain) {
  push(2, 0, 1, 10);
  push(3, 0, 1, 20);
  push(3, 4, 1, 25);
  push(3, 0, 2, 26);
  pop(0, 1, 30);
  pop(0, 1, 40);
  pop(4, 1, 50);
  finish();
  ASSERT_EQ(ranges_.size(), 4u);
  EXPECT_EQ(ranges_[0].text, 102u);
  EXPECT_EQ(ranges_[0].depth, 0u);
  EXPECT_EQ(ranges_[0].finish_ns, 40);
  EXPECT_EQ(ranges_[1].depth, 1u);
  EXPECT_EQ(ranges_[1].finish_ns, 30);
  EXPECT_EQ(ranges_[2].domain, 104u);
  EXPECT_EQ(ranges_[2].depth, 0u);
  EXPECT_EQ(ranges_[2].finish_ns, 50);
  EXPECT_EQ(ranges_[3].finish_ns, kNoTime);
}

TEST_F(MarkJoinTest, APopWithoutItsPushIsARangeThatBeganEarlier) {
  pop(0, 1, 30);
  finish();
  ASSERT_EQ(ranges_.size(), 1u);
  EXPECT_EQ(ranges_[0].start_ns, kNoTime);
  EXPECT_EQ(ranges_[0].finish_ns, 30);
}

TEST_F(MarkJoinTest, AStartedRangeIsEndedByItsNumberAlsoWhenTheEndComesFirst) {
  RangeEndRecord end;
  end.range = 9;
  add(end, 2, 90);
  RangeStartRecord start;
  start.range = 9;
  start.text = 2;
  start.category = 5;
  add(start, 1, 80);
  finish();
  ASSERT_EQ(ranges_.size(), 1u);
  EXPECT_EQ(ranges_[0].kind, RangeKind::Started);
  EXPECT_EQ(ranges_[0].category, 5u);
  EXPECT_EQ(ranges_[0].start_ns, 80);
  EXPECT_EQ(ranges_[0].finish_ns, 90);
}

}  // namespace
}  // namespace lockstep::analysis
