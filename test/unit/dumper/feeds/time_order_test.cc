#include "dumper/feeds/time_order.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/record_fields.h"

namespace lockstep::dumper {
namespace {

struct Held {
  TimeOrder order;

  void add(std::initializer_list<uint64_t> ticks) {
    for (const uint64_t at : ticks) {
      const uint64_t words[] = {make_word0(stop_tag(Kind::Coll), at), at};
      order.add(words, 2);
    }
  }
  std::vector<uint64_t> released(uint64_t complete_ticks) {
    std::vector<uint64_t> ticks;
    order.release(complete_ticks, [&](const uint64_t* words) {
      EXPECT_EQ(words[1], ticks_of(words[0]));
      ticks.push_back(ticks_of(words[0]));
    });
    return ticks;
  }
};
using Ticks = std::vector<uint64_t>;

TEST(TimeOrder, GivesTheRecordsOfAllThreadsByTime) {
  Held held;
  held.add({5, 30, 31});
  held.add({1, 6, 40});
  held.add({2});
  held.add({0, 50});
  EXPECT_EQ(held.released(100), (Ticks{0, 1, 2, 5, 6, 30, 31, 40, 50}));
  EXPECT_EQ(held.released(100), Ticks{});
}

TEST(TimeOrder, KeepsWhatMayNotBeCompleteYet) {
  Held held;
  held.add({5, 30});
  held.add({6, 20});
  EXPECT_EQ(held.released(20), (Ticks{5, 6}));
  held.add({10, 25});
  EXPECT_EQ(held.released(26), (Ticks{10, 20, 25}));
  EXPECT_EQ(held.released(100), Ticks{30});
}

TEST(TimeOrder, GivesNothingTwiceWhereItsTakerThrows) {
  Held held;
  held.add({5, 30});
  held.add({6, 70});
  int given = 0;
  const auto fail_at_second = [&](const uint64_t*) {
    if (++given == 2) throw std::runtime_error("no memory");
  };
  EXPECT_THROW(held.order.release(60, fail_at_second), std::runtime_error);
  held.add({65});
  EXPECT_EQ(held.released(100), Ticks{65});
}

}  // namespace
}  // namespace lockstep::dumper
