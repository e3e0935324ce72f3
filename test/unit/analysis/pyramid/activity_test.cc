// What ranks that wait for one that never comes are shown to do. All else that lanes have is counted again by tiles_test.
#include "analysis/pyramid/activity.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Ranks 0 and 1 of three are in an operation from 10 ms on, rank 2 never calls it; the processes were last heard at
// 100 ms.
std::unique_ptr<RunTables> hung_run(OpState state) {
  auto tables = std::make_unique<RunTables>();
  RunTables& run = *tables;
  run.aligned = true;
  CommunicatorRow world;
  world.nranks = world.members = 3;
  run.communicators.push_back(world);
  MatchRow match;
  match.communicator = 0;
  match.expected = 3;
  match.arrivals = 2;
  for (int32_t rank = 0; rank < 3; ++rank) {
    ProcessRow process;
    process.rank = rank;
    process.aligned = 1;
    process.first_ns = 0;
    process.last_ns = 20 * kMs;
    process.heard_ns = 100 * kMs;
    process.life = Life::Dead;
    run.processes.push_back(process);
    MemberRow member;
    member.communicator = 0;
    member.process = static_cast<uint32_t>(rank);
    member.rank = rank;
    run.members.push_back(member);
    if (rank == 2) continue;
    OperationRow row;
    row.process = static_cast<uint32_t>(rank);
    row.communicator = 0;
    row.rank = rank;
    row.api_start_ns = (10 + rank) * kMs;
    row.last_progress_ns = 30 * kMs;
    row.state = state;
    run.operations.push_back(row);
    ArrivalRow arrival;
    arrival.operation = arrival.process = static_cast<uint32_t>(rank);
    arrival.arrival_ns = row.api_start_ns;
    arrival.last_rank_row = 1;
    arrival.wait_ns = (1 - rank) * kMs;
    run.arrivals.push_back(arrival);
  }
  run.matches.push_back(match);
  return tables;
}

void expect_spans(const TimeSpans& spans, int64_t from_ms, int64_t to_ms) {
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].from_ns, from_ms * kMs);
  EXPECT_EQ(spans[0].to_ns, to_ms * kMs);
}

TEST(Activity, OfRanksThatWaitForOneThatNeverComesIsWaitingAsLongAsTheyAreHeard) {
  const auto run = hung_run(OpState::InFlight);
  const Activity activity = activity_of(*run, RunTime(*run));
  expect_spans(activity.lanes[0].waiting, 10, 100);
  expect_spans(activity.lanes[1].waiting, 11, 100);
  EXPECT_TRUE(activity.lanes[2].waiting.empty());
  expect_spans(activity.lanes[2].caused, 10, 100);
  EXPECT_TRUE(activity.lanes[1].caused.empty());  // it came last, but not of all
}

TEST(Activity, OfAnAbortedOperationIsWaitingUntilItsCommunicatorIsGivenUp) {
  const auto run = hung_run(OpState::Aborted);
  run->members[0].finalize_ns = 60 * kMs;
  run->members[1].finalize_ns = 61 * kMs;
  const Activity activity = activity_of(*run, RunTime(*run));
  expect_spans(activity.lanes[0].waiting, 10, 60);
  expect_spans(activity.lanes[0].busy, 10, 60);
  expect_spans(activity.lanes[2].caused, 10, 61);
}

// Of a job that goes on, rank 2 may have called a moment ago and not have written it down yet.
TEST(Activity, OfARankThatGoesOnIsNotThatOthersWaitForItUntilTheyHaveForTwoSeconds) {
  const auto run = hung_run(OpState::InFlight);
  run->processes[2].life = Life::Running;
  const Activity soon = activity_of(*run, RunTime(*run));
  EXPECT_TRUE(soon.lanes[0].waiting.empty());
  EXPECT_TRUE(soon.lanes[2].caused.empty());
  expect_spans(soon.lanes[0].busy, 10, 100);
  for (ProcessRow& process : run->processes) process.heard_ns = 3000 * kMs;
  const Activity later = activity_of(*run, RunTime(*run));
  expect_spans(later.lanes[0].waiting, 10, 3000);
  expect_spans(later.lanes[2].caused, 10, 3000);
}

TEST(Activity, OfASendWithoutAReceiverIsCausedByItsPeerAlone) {
  const auto run = hung_run(OpState::InFlight);
  run->matches[0].expected = 2;
  run->matches[0].arrivals = 1;
  run->operations[0].peer = 2;
  const Activity activity = activity_of(*run, RunTime(*run));
  expect_spans(activity.lanes[0].waiting, 10, 100);
  expect_spans(activity.lanes[2].caused, 10, 100);
  EXPECT_TRUE(activity.lanes[1].caused.empty());
}

// A deadlock, or a stuck GPU or network: nobody is missing, and nobody is accused here.
TEST(Activity, OfAnOperationThatAllCalledAndThatNoLongerMovesIsWaitingForNobody) {
  const auto run = hung_run(OpState::InFlight);
  run->matches[0].expected = 2;
  const Activity soon = activity_of(*run, RunTime(*run));
  expect_spans(soon.lanes[0].waiting, 10, 11);  // for the second to come, and no longer
  EXPECT_TRUE(soon.lanes[1].waiting.empty());
  for (ProcessRow& process : run->processes) process.heard_ns = 3000 * kMs;
  const Activity later = activity_of(*run, RunTime(*run));
  ASSERT_EQ(later.lanes[0].waiting.size(), 2u);
  EXPECT_EQ(later.lanes[0].waiting[1].from_ns, 30 * kMs);  // it moved until then
  EXPECT_EQ(later.lanes[0].waiting[1].to_ns, 3000 * kMs);
  expect_spans(later.lanes[1].waiting, 30, 3000);
  EXPECT_TRUE(later.lanes[0].caused.empty());
  expect_spans(later.lanes[1].caused, 10, 11);
}

TEST(Activity, OfAnOperationThatEndedOnOneRankIsWaitingOnTheOther) {
  const auto run = hung_run(OpState::InFlight);
  run->matches[0].expected = 2;
  run->operations[0].state = OpState::Done;
  run->operations[0].finish_ns = 40 * kMs;
  for (ProcessRow& process : run->processes) process.heard_ns = 3000 * kMs;
  const Activity activity = activity_of(*run, RunTime(*run));
  expect_spans(activity.lanes[0].waiting, 10, 11);
  expect_spans(activity.lanes[1].waiting, 40, 3000);
}

}  // namespace
}  // namespace lockstep::analysis
