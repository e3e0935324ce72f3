// How long operations should take, from tables laid out by hand: two ranks of each communicator, which
// begin together.
#include "analysis/account/expected_times.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

class Job {
 public:
  explicit Job(uint32_t communicators) {
    func_ = run_.strings.intern("AllReduce");
    run_.processes.resize(2 * communicators);
    now_ns_.assign(communicators, 0);
    for (uint32_t c = 0; c < communicators; ++c) {
      CommunicatorRow comm;
      comm.nranks = 2;
      comm.nnodes = 1;
      comm.first_member = 2 * c;
      comm.members = 2;
      run_.communicators.push_back(comm);
      for (uint32_t rank = 0; rank < 2; ++rank) {
        MemberRow member;
        member.communicator = c;
        member.process = 2 * c + rank;
        member.rank = static_cast<int32_t>(rank);
        run_.members.push_back(member);
      }
    }
  }

  void calls(uint32_t communicator, uint64_t size_bytes, int count, int64_t took_ns) {
    for (int i = 0; i < count; ++i) {
      calls_.push_back({communicator, size_bytes, now_ns_[communicator], took_ns});
      now_ns_[communicator] += took_ns + 100 * kUs;
    }
  }

  // The kinds of operations, by communicator and size.
  std::vector<ExpectedTimeRow> expect() {
    for (uint32_t process = 0; process < run_.processes.size(); ++process) {
      for (uint32_t m = 0; m < calls_.size(); ++m) {
        if (calls_[m].communicator == process / 2) add_operation(process, m);
      }
    }
    for (uint32_t m = 0; m < calls_.size(); ++m) add_match(m);
    found = find_expected_times(run_, find_own_segments(run_));
    return found.rows;
  }

  ExpectedTimes found;

 private:
  struct Call {
    uint32_t communicator;
    uint64_t size_bytes;
    int64_t start_ns, took_ns;
  };

  void add_operation(uint32_t process, uint32_t m) {
    OperationRow row;
    row.process = process;
    row.communicator = calls_[m].communicator;
    row.rank = static_cast<int32_t>(process % 2);
    row.func = func_;
    row.size_bytes = calls_[m].size_bytes;
    row.match = m;
    row.ordinal = m + 1;  // none sets up a connection
    row.state = OpState::Done;
    row.kernel_start_ns = calls_[m].start_ns;
    row.kernel_stop_ns = row.finish_ns = calls_[m].start_ns + calls_[m].took_ns;
    run_.operations.push_back(row);
  }
  void add_match(uint32_t m) {
    MatchRow match;
    match.communicator = calls_[m].communicator;
    match.func = func_;
    match.size_bytes = calls_[m].size_bytes;
    match.first_arrival = static_cast<uint32_t>(run_.arrivals.size());
    match.arrivals = match.expected = 2;
    match.comparable = 1;
    for (uint32_t o = 0; o < run_.operations.size(); ++o) {
      if (run_.operations[o].match != m) continue;
      ArrivalRow arrival;
      arrival.match = m;
      arrival.operation = o;
      arrival.rank = run_.operations[o].rank;
      arrival.arrival_ns = calls_[m].start_ns;
      arrival.finish_ns = run_.operations[o].finish_ns;
      arrival.basis = ArrivalBasis::KernelStart;
      run_.arrivals.push_back(arrival);
    }
    run_.matches.push_back(match);
  }

  RunTables run_;
  Text func_ = 0;
  std::vector<int64_t> now_ns_;  // by communicator
  std::vector<Call> calls_;
};

TEST(ExpectedTimes, AreThoseOfTheUndisturbedOperations) {
  Job job(1);
  job.calls(0, 1 << 20, 24, 200 * kUs);
  job.calls(0, 1 << 20, 16, 500 * kUs);
  const auto rows = job.expect();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].expected_ns, 200 * kUs);
  EXPECT_EQ(rows[0].by, ExpectedBy::Itself);
  EXPECT_EQ(rows[0].operations, 40u);
  EXPECT_EQ(rows[0].slow, 16u);
  EXPECT_EQ(job.found.excess_ns[39], 300 * kUs);
  EXPECT_EQ(job.found.slow[0], Slow::No);
  EXPECT_EQ(job.found.slow[39], Slow::Stretch);
}

TEST(ExpectedTimes, DoNotCallSingleOperationsSlow) {
  Job job(1);
  for (int i = 0; i < 6; ++i) {
    job.calls(0, 1 << 20, 7, 200 * kUs);
    job.calls(0, 1 << 20, 1, 5'000 * kUs);
  }
  const auto rows = job.expect();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].expected_ns, 200 * kUs);
  EXPECT_EQ(rows[0].slow, 0u);
}

TEST(ExpectedTimes, CallAnOperationSlowThatStandsStillFarLongerThanChanceExplains) {
  Job job(1);
  job.calls(0, 1 << 20, 20, 200 * kUs);
  job.calls(0, 1 << 20, 1, 30'000 * kUs);
  job.calls(0, 1 << 20, 20, 200 * kUs);
  const auto rows = job.expect();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].expected_ns, 200 * kUs);
  EXPECT_EQ(rows[0].slow, 1u);
  EXPECT_EQ(job.found.slow[20], Slow::Still);
}

TEST(ExpectedTimes, AreTakenFromCommunicatorsOfTheSameShapeThatAreFaster) {
  Job job(4);
  for (uint32_t c = 0; c < 3; ++c) job.calls(c, 1 << 20, 16, 200 * kUs);
  job.calls(3, 1 << 20, 16, 400 * kUs);
  const auto rows = job.expect();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].by, ExpectedBy::Itself);
  EXPECT_EQ(rows[3].by, ExpectedBy::Alike);
  EXPECT_EQ(rows[3].expected_ns, 200 * kUs);
  EXPECT_EQ(rows[3].slow, 16u);
}

TEST(ExpectedTimes, OfTwoCommunicatorsNeitherIsTheMeasure) {
  Job job(2);
  job.calls(0, 1 << 20, 16, 200 * kUs);
  job.calls(1, 1 << 20, 16, 400 * kUs);
  for (const ExpectedTimeRow& row : job.expect()) EXPECT_EQ(row.slow, 0u);
}

// 20 us and 10 us per 64 KiB, but for 128 KiB, which takes longer than 512 KiB.
TEST(ExpectedTimes, FollowALineThroughTheOtherSizes) {
  Job job(1);
  for (const int64_t parts : {1, 2, 4, 8, 16})
    job.calls(0, static_cast<uint64_t>(parts) << 16, 16,
              parts == 2 ? 250 * kUs : (20 + 10 * parts) * kUs);
  const auto rows = job.expect();
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1].by, ExpectedBy::Sizes);
  // No less than the next larger size takes, whatever the line says.
  EXPECT_EQ(rows[1].expected_ns, 60 * kUs);
  EXPECT_EQ(rows[1].slow, 16u);
  for (const size_t other : {size_t{0}, size_t{2}, size_t{3}, size_t{4}})
    EXPECT_EQ(rows[other].slow, 0u) << other;
}

TEST(ExpectedTimes, DoNotSuspectASizeThatLargerOnesTakeAsLongAs) {
  Job job(1);
  // Latency counts up to 256 KiB, bandwidth from there on: no straight line.
  for (const int64_t parts : {1, 2, 4, 8, 16})
    job.calls(0, static_cast<uint64_t>(parts) << 16, 16, (parts <= 4 ? 100 : 60 * parts) * kUs);
  for (const ExpectedTimeRow& row : job.expect()) EXPECT_EQ(row.slow, 0u) << row.size_bytes;
}

}  // namespace
}  // namespace lockstep::analysis
