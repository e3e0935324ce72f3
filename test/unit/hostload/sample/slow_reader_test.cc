#include "hostload/sample/slow_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace lockstep::hostload {
namespace {

TEST(SlowReader, HandsOverEachReadingOnce) {
  std::atomic<int> readings{0};
  SlowReader reader("test-slow", [&readings]() -> std::vector<CounterReading> {
    return {{{"gpu", 0, "fact"}, 1, ++readings}};
  });
  std::vector<CounterReading> first;
  while (first.empty()) {
    first = reader.take();
    std::this_thread::yield();
  }
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].counter.name, "fact");
  const int64_t seen = first[0].value;
  std::vector<CounterReading> next;
  while (next.empty()) {
    next = reader.take();
    std::this_thread::yield();
  }
  EXPECT_GT(next[0].value, seen);
}

TEST(SlowReader, ThatHangsHoldsNobodyUp) {
  auto never = std::make_shared<std::promise<void>>();
  auto entered = std::make_shared<std::promise<void>>();
  {
    SlowReader reader("test-hang", [never, entered]() -> std::vector<CounterReading> {
      entered->set_value();
      never->get_future().wait();
      return {};
    });
    EXPECT_TRUE(reader.take().empty());
    entered->get_future().wait();
    EXPECT_TRUE(reader.take().empty());
    EXPECT_TRUE(reader.take().empty());
  }
  never->set_value();  // its thread ends by itself
}

}  // namespace
}  // namespace lockstep::hostload
