// Lateness that is easily overlooked: before a rank's first operation, behind one that waits elsewhere, and
// where no two operations have the same size.
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

std::vector<int32_t> named_in(const Judged& judged) {
  std::vector<int32_t> ranks;
  for (const Finding& finding : judged.findings)
    ranks.insert(ranks.end(), finding.culprits.begin(), finding.culprits.end());
  return ranks;
}
const LateFacts& lateness_in(const Judged& judged) {
  return std::get<LateFacts>(judged.findings.at(0).facts);
}

// Iterations of 5 ms with one all-reduce; rank 2 is late as late_ns(iteration) says.
template <class Late>
Judged late_at(unsigned iterations, const Late& late_ns) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < iterations; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 4 * kMs + (rank == 2 ? late_ns(i) : 0));
    job.collective(0);
  }
  return job.judge();
}

TEST(LateBeginnings, CountForWhatTheNextStepShows) {
  // 3 x 2.4 of 309 ms; two of them alone are 1.6 %.
  const Judged judged = late_at(60, [](unsigned i) -> uint64_t { return i < 3 ? 2'400 * kUs : 0; });
  ASSERT_EQ(named_in(judged), std::vector<int32_t>{2}) << all_text(judged);
  EXPECT_NEAR(static_cast<double>(lateness_in(judged).gain_ns), 7.2e6, 0.2e6);
}

TEST(LateBeginnings, CountForNoMoreThanTheNextStepShows) {
  const Judged judged = late_at(60, [](unsigned i) -> uint64_t {
    return i == 0 ? 500 * kMs : i < 5 ? 4 * kMs : 0;
  });
  ASSERT_EQ(named_in(judged), std::vector<int32_t>{2}) << all_text(judged);
  EXPECT_NEAR(static_cast<double>(lateness_in(judged).gain_ns), 5 * 4e6, 0.5e6);
}

TEST(LateBeginnings, AccuseNobodyByThemselves) {
  const Judged judged = late_at(60, [](unsigned i) -> uint64_t { return i == 0 ? 500 * kMs : 0; });
  EXPECT_EQ(named_in(judged), std::vector<int32_t>{}) << all_text(judged);
}

// Two reductions along chains. Rank 1 is late for the first. For the second rank 0 can hand on nothing until
// rank 1 comes, but is done before rank 2 comes, which waits for the end of the first.
TEST(HeldEnds, AreNotTheirRanksOwnTime) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < 40; ++i) {
    const uint64_t late_ns = i % 4 == 1 ? 10 * kMs : 0;
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 4 * kMs + (rank == 1 ? late_ns : 0));
    const uint64_t last_ns = job.now_ns(1);
    job.each_until(0, "Reduce", [&](int32_t rank) {
      return (rank < 2 ? job.now_ns(rank) : last_ns) + 500 * kUs;
    });
    const uint64_t held_ns = job.now_ns(1) + 40 * kUs;
    job.work(2, 100 * kUs);
    job.each_until(0, "Reduce", [&](int32_t rank) {
      return rank == 0 ? std::max(job.now_ns(0) + 100 * kUs, held_ns) : last_ns + 2 * kMs;
    });
    job.work(0, 1'500 * kUs);
    job.collective(0);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(named_in(judged), std::vector<int32_t>{1}) << all_text(judged);
  EXPECT_NEAR(static_cast<double>(lateness_in(judged).gain_ns), 100e6, 15e6);
}

// Ranks 0 and 2 send twice, to ranks 1 and 3; rank 1 is late. The first send fits the buffers; the second stands behind it until rank 1
// takes the first up, and then rank 0 has work to do before all meet. So all of rank 1's lateness is lost.
TEST(HeldEnds, AreThoseOfSendsThatStandBehindOthers) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank)
      job.work(rank, 2 * kMs + (rank == 1 && i % 4 == 1 ? 10 * kMs : 0));
    for (const int32_t from : {0, 2}) {
      const int32_t to = from + 1;
      job.send(from, to);
      const uint64_t taken_ns = job.now_ns(to) + 40 * kUs, sent_ns = job.now_ns(from) + 100 * kUs;
      job.send(from, to, std::max(taken_ns, sent_ns) - job.now_ns(from));
      job.receive(from, to);
      job.work(to, 200 * kUs);
      job.receive(from, to);
      job.work(from, 5 * kMs);
    }
    job.collective(0);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(named_in(judged), std::vector<int32_t>{1}) << all_text(judged);
  EXPECT_NEAR(static_cast<double>(lateness_in(judged).gain_ns), 100e6, 10e6);
}

// Each group of two has sizes of its own, no two alike; then all meet.
template <class Work>
Judged of_any_size(double second_group, const Work& work_ns) {
  PlayedJob job(4, 4);
  const unsigned groups[] = {job.communicator({0, 1}), job.communicator({2, 3})};
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, work_ns(rank, i));
    for (int group = 0; group < 2; ++group) {
      const double count = 1e6 + static_cast<double>(random() % 300'000);
      job.size(static_cast<uint64_t>(group == 0 ? count : second_group * count));
      job.collective(groups[group]);
    }
    job.size(1024);
    job.collective(0);
  }
  return job.judge();
}

TEST(CallNames, FindALateRankWhereSizesVary) {
  const Judged judged = of_any_size(1, [](int32_t rank, unsigned i) -> uint64_t {
    return 4 * kMs + (rank == 2 && i % 3 == 1 ? 5 * kMs : 0);
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_NE(judged.text().find(" is world rank 2, "), std::string::npos) << judged.text();
}

TEST(CallNames, TellApartWhoHasMoreToMoveTimeAfterTime) {
  const Judged judged = of_any_size(
      1.5, [](int32_t rank, unsigned) -> uint64_t { return rank < 2 ? 4 * kMs : 6 * kMs; });
  EXPECT_EQ(named_in(judged), std::vector<int32_t>{}) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
