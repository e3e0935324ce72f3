#include "live/places/stack_row.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

StackRow some_row() {
  StackRow row;
  row.host = "node7";
  row.standing = {513, "in AllReduce #20 on world", 3'200'000'000};
  row.stacks.pid = 4711;
  row.stacks.command = "python \"x\"\n";
  row.stacks.other_threads = 17;
  row.stacks.stops_ns = {81'000, 120'000};
  ThreadStacks thread;
  thread.state = {4711, "python", 'S', "futex_do_wait", "futex"};
  const std::vector<Frame> same = {{"main", "main.cc", 12, "train", 64},
                                   {"", "", 0, "libcuda.so.1", 0x1234}};
  thread.samples = {same, same, same};
  row.stacks.threads.push_back(thread);
  return row;
}

TEST(StackRow, ComesBackFromJsonAsItWent) {
  StackRow row = some_row();
  ThreadStacks moving = row.stacks.threads[0];
  moving.state.tid = 4712;
  moving.samples[0].pop_back();
  row.stacks.threads.push_back(moving);
  ThreadStacks unread;
  unread.state.tid = 4713;
  unread.unread = "no right";
  row.stacks.threads.push_back(unread);

  const std::string text = rows_as_json({row});
  const auto back = rows_of_json(text);
  ASSERT_TRUE(back.ok()) << back.message();
  ASSERT_EQ(back.value().size(), 1u);
  const StackRow& got = back.value()[0];
  EXPECT_EQ(got.host, "node7");
  EXPECT_EQ(got.standing.rank, 513);
  EXPECT_EQ(got.standing.called_ago_ns, 3'200'000'000);
  EXPECT_EQ(got.stacks.command, row.stacks.command);
  EXPECT_EQ(got.stacks.other_threads, 17u);
  EXPECT_EQ(got.stacks.stops_ns, row.stacks.stops_ns);
  ASSERT_EQ(got.stacks.threads.size(), 3u);
  EXPECT_EQ(got.stacks.threads[0].state.wchan, "futex_do_wait");
  ASSERT_EQ(got.stacks.threads[0].samples.size(), 3u);
  EXPECT_FALSE(got.stacks.threads[0].moved());
  EXPECT_EQ(got.stacks.threads[0].samples[1][1].offset, 0x1234u);
  ASSERT_EQ(got.stacks.threads[1].samples.size(), 3u);
  EXPECT_TRUE(got.stacks.threads[1].moved());
  EXPECT_EQ(got.stacks.threads[1].samples[0].size(), 1u);
  EXPECT_EQ(got.stacks.threads[2].unread, "no right");
  EXPECT_EQ(rows_as_json(back.value()), text);
}

TEST(StackRow, OfAProcessThatRecordsNothingHasNoRank) {
  StackRow row = some_row();
  row.standing = {};
  const std::string text = rows_as_json({row});
  EXPECT_EQ(text.find("\"rank\""), std::string::npos);
  EXPECT_EQ(rows_of_json(text).value()[0].standing.rank, -1);
}

TEST(StackRow, TakesWhatIsMissingOrOfAnotherTypeForNotKnown) {
  for (const char* text : {"[{}]", "[7]", "[null]", R"([{"threads":7}])",
                           R"([{"threads":[{"frames":[7,{}],"samples":"x"}]}])",
                           R"([{"rank":"x","pid":[],"stopped_ns":["x"]}])"}) {
    const auto rows = rows_of_json(text);
    ASSERT_TRUE(rows.ok()) << text;
    EXPECT_EQ(rows.value()[0].standing.rank, -1);
  }
}

TEST(StackRow, AsksForNoMoreMemoryThanItsTextIsWorth) {
  const auto rows = rows_of_json(
      R"([{"threads":[{"samples":4000000000,"frames":[{"function":"f","module":"m"}]}]}])");
  ASSERT_TRUE(rows.ok());
  EXPECT_LE(rows.value()[0].stacks.threads[0].samples.size(), size_t{kMostSamples});
}

TEST(StackRow, OfAThreadWithoutItsLastSampleHasNone) {
  const auto rows = rows_of_json(
      R"([{"threads":[{"samples":3,"earlier":[{"frames":[{"function":"f","module":"m"}]}]}]}])");
  ASSERT_TRUE(rows.ok());
  EXPECT_TRUE(rows.value()[0].stacks.threads[0].samples.empty());
}

TEST(StackRow, RefusesWhatIsNoList) {
  for (const char* text : {"", "{}", "[", "7", "[{]"})
    EXPECT_FALSE(rows_of_json(text).ok()) << text;
}

}  // namespace
}  // namespace lockstep::live
