// The simulator's records of a thread: in the order of time, and the same whether kept packed or not.
#include <gtest/gtest.h>

#include "test/drivers/simulate/thread_records.h"

namespace lockstep::simulate {
namespace {

constexpr uint64_t kRecords = 5'000, kLast = 2 * kRecords;

// Pairs of records of which the later comes first, as a proxy's do.
ThreadRecords out_of_order(size_t* room) {
  ThreadRecords records(room);
  for (uint64_t i = 0; i < kRecords; i += 2) {
    records.stop(i + 1, make_event_id(Kind::Coll, 1, i + 1));
    records.stop(i, make_event_id(Kind::Coll, 1, i));
  }
  return records;
}

TEST(SimulatedRecords, come_in_the_order_of_time_also_when_packed) {
  size_t room = 1 << 20, no_room = 0;
  ThreadRecords plain = out_of_order(&room), packed = out_of_order(&no_room);
  const std::vector<uint64_t> words = plain.until(kLast);
  ASSERT_EQ(words.size(), 2 * kRecords);
  for (uint64_t i = 0; i < kRecords; ++i) EXPECT_EQ(ticks_of(words[2 * i]), i);
  EXPECT_EQ(packed.until(kLast), words);
}

TEST(SimulatedRecords, end_where_they_were_cut_also_when_packed) {
  size_t room = 1 << 20, no_room = 0;
  ThreadRecords plain = out_of_order(&room), packed = out_of_order(&no_room);
  for (ThreadRecords* records : {&plain, &packed}) {
    records->cut(99);
    records->stop(500, make_event_id(Kind::Coll, 1, 7));
  }
  const std::vector<uint64_t> words = plain.until(kLast);
  ASSERT_EQ(words.size(), 2 * 101);
  EXPECT_EQ(ticks_of(words[200]), 500);
  EXPECT_EQ(packed.until(kLast), words);
}

TEST(SimulatedRecords, come_back_before_those_that_were_not_packed) {
  PackedWords packed;
  packed.add(std::vector<uint64_t>(1'000, 7));
  packed.add(std::vector<uint64_t>(1'000, 8));
  std::vector<uint64_t> words = {9};
  packed.move_before(&words);
  ASSERT_EQ(words.size(), 2'001);
  EXPECT_EQ(words[0], 7);
  EXPECT_EQ(words[1'000], 8);
  EXPECT_EQ(words[2'000], 9);
  EXPECT_TRUE(packed.empty());
}

}  // namespace
}  // namespace lockstep::simulate
