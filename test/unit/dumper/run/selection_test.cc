#include "dumper/run/selection.h"

#include "test/unit/dumper/run/rounded_process.h"

namespace lockstep::dumper {
namespace {

TEST(Selection, CountsBackFromTheLastRecord) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 100; ++i) process.round(i, 1);
  process.end(100 * kSecond);
  auto run = RunDirectory::open(process.path());
  Selection selection;
  selection.last_ns = 10 * kSecond;

  const auto spans = select(selection, &run.value());

  ASSERT_TRUE(spans.ok()) << spans.message();
  // The last round's records end at 99 s and 409 ns; the first is made at 1 ns.
  EXPECT_EQ(spans.value().at(0).from_ns, 89 * kSecond + 409);
  EXPECT_EQ(spans.value().at(0).to_ns, ~uint64_t{0});
}

TEST(Selection, TakesDatesByTheHostsClock) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 100; ++i) process.round(i, 1);
  process.end(100 * kSecond);
  auto run = RunDirectory::open(process.path());
  Selection selection;
  selection.from = Instant{Instant::Since::Epoch, 25 * kSecond};
  selection.to = Instant{Instant::Since::RunStart, 30 * kSecond};

  const auto spans = select(selection, &run.value());

  ASSERT_TRUE(spans.ok()) << spans.message();
  EXPECT_EQ(spans.value().at(0).from_ns, 20 * kSecond);
  EXPECT_EQ(spans.value().at(0).to_ns, 30 * kSecond + 1);
}

TEST(Selection, SaysHowLongTheRunIsWhereNothingIsLeft) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 10; ++i) process.round(i, 1);
  auto run = RunDirectory::open(process.path());
  Selection selection;
  selection.from = Instant{Instant::Since::RunStart, 3600 * kSecond};

  const auto spans = select(selection, &run.value());

  ASSERT_FALSE(spans.ok());
  EXPECT_NE(spans.message().find("it is 9.000 s long"), std::string::npos) << spans.message();
}

TEST(Selection, LeavesOutOtherRanks) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 3; ++i) process.round(i, 1);
  auto run = RunDirectory::open(process.path());
  Selection selection;
  selection.ranks = {{11, 12}};
  EXPECT_TRUE(select(selection, &run.value()).ok());
  EXPECT_EQ(run.value().processes.size(), 1u);

  selection.ranks = {{0, 10}};
  const auto none = select(selection, &run.value());

  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.message().find("go up to rank 11"), std::string::npos) << none.message();
}

}  // namespace
}  // namespace lockstep::dumper
