// What each rank owns of the time, where the times are known inexactly.
#include "analysis/follow/own_segments.h"

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Rank 1 comes last to the second operation, and rank 0 ends 300 us before it comes, by their times.
// early_ns: by so much the times of rank 1 may be earlier.
bool waits_for_whom_it_seems_to_end_before(int64_t early_ns, const char* func = "AllReduce") {
  PlayedJob job(2, 1);
  job.collective(0);
  job.work(1, 2 * kMs);
  const uint64_t last_ns = job.now_ns(1);
  job.each_until(0, func,
                 [&](int32_t rank) { return rank == 0 ? last_ns - 300 * kUs : last_ns + kMs; });
  const Judged judged = job.judge();
  RunTables& run = *judged.run;
  for (OperationRow& row : run.operations)
    row.kernel_early_ns = row.kernel_late_ns = row.rank == 1 ? early_ns : 5'000;
  const OwnSegments own = find_own_segments(run);
  for (const uint32_t a : own.order) {
    const OperationRow& row = run.operations[run.arrivals[a].operation];
    if (row.rank == 0 && row.ordinal == 1) return own.segments[a].waits;
  }
  ADD_FAILURE() << "the operation takes no part";
  return false;
}

TEST(OwnSegments, WaitForWhoMayHaveComeBeforeTheirEnd) {
  EXPECT_TRUE(waits_for_whom_it_seems_to_end_before(320 * kUs));
}

TEST(OwnSegments, DoNotWaitForWhoSurelyCameLater) {
  EXPECT_FALSE(waits_for_whom_it_seems_to_end_before(5 * kUs));
}

TEST(OwnSegments, DoNotWaitForTheLastOfABroadcast) {
  EXPECT_FALSE(waits_for_whom_it_seems_to_end_before(320 * kUs, "Broadcast"));
}

// Gradients are reduced, on another stream, from when the tokens of all ranks are there. The exchange of these is stamped to end
// `late_ns` later. Whether the reduction follows it, on rank 0, which waits in it for rank 1.
bool follows_what_ends_later(uint64_t late_ns) {
  PlayedJob job(2, 1);
  const unsigned gradients = job.communicator({0, 1});
  job.collective(0);
  job.work(0, kMs);
  job.work(1, 3 * kMs);
  job.collective(0, 500 * kUs, "AlltoAll");
  job.beside(
      gradients, [&](int32_t rank) { return job.now_ns(rank) - late_ns; }, kMs);
  const Judged judged = job.judge();
  const RunTables& run = *judged.run;
  const OwnSegments own = find_own_segments(run);
  for (const uint32_t a : own.order) {
    const OperationRow& row = run.operations[run.arrivals[a].operation];
    if (row.rank != 0 || row.communicator != gradients) continue;
    const uint32_t before = own.segments[a].before;
    return before != kNoRow && run.text(run.matches[run.arrivals[before].match].func) == "AlltoAll";
  }
  ADD_FAILURE() << "the reduction takes no part";
  return false;
}

TEST(OwnSegments, FollowWhatIsStampedToEndHardlyLater) {
  EXPECT_TRUE(follows_what_ends_later(12 * kUs));
  EXPECT_FALSE(follows_what_ends_later(100 * kUs));
}

}  // namespace
}  // namespace lockstep::analysis
