// What sizes of transfers are compared with each other.
#include "analysis/transfers/alike_sizes.h"

#include <gtest/gtest.h>

#include <memory>

namespace lockstep::analysis {
namespace {

// All-reduces of these sizes on one communicator, in one run.
std::unique_ptr<RunTables> reductions(const std::vector<uint64_t>& sizes) {
  auto run = std::make_unique<RunTables>();
  for (const uint64_t bytes : sizes) {
    MatchRow match;
    match.communicator = 0;
    match.func = 1;
    match.first_arrival = static_cast<uint32_t>(run->arrivals.size());
    match.arrivals = 1;
    match.size_bytes = bytes;
    ArrivalRow arrival;
    arrival.operation = static_cast<uint32_t>(run->operations.size());
    OperationRow row;
    row.kind = OpKind::Collective;
    run->operations.push_back(row);
    run->arrivals.push_back(arrival);
    run->matches.push_back(match);
  }
  return run;
}

TEST(AlikeSizes, AreEqualOnesWhereThereAreEnough) {
  const auto run = reductions(std::vector<uint64_t>(8, 3'000));
  const AlikeSizes sizes(*run);
  EXPECT_EQ(sizes.of(run->matches[0]).bytes, 3'000u);
  EXPECT_EQ(sizes.of(run->matches[0]).scaled(600), 600);
}

TEST(AlikeSizes, LieBetweenTwoPowersOfTwoWhereEachIsRare) {
  const auto run = reductions({3'000, 2'049, 4'095, 2'048, 4'096});
  const AlikeSizes sizes(*run);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(sizes.of(run->matches[i]).bytes, 2'048u);
  EXPECT_EQ(sizes.of(run->matches[4]).bytes, 4'096u);
}

TEST(AlikeSizes, TakeTimesInProportion) {
  const auto run = reductions({3'072});
  const AlikeSizes sizes(*run);
  EXPECT_EQ(sizes.of(run->matches[0]).scaled(600), 400);
  EXPECT_EQ(sizes.of(run->matches[0]).scaled(kNoTime), kNoTime);
}

TEST(AlikeSizes, LeaveAloneWhatMovesNothing) {
  const auto run = reductions({0});
  const AlikeSizes sizes(*run);
  EXPECT_EQ(sizes.of(run->matches[0]).bytes, 0u);
  EXPECT_EQ(sizes.of(run->matches[0]).scaled(600), 600);
}

}  // namespace
}  // namespace lockstep::analysis
