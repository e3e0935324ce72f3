// Hosts that are named because their TCP sends much again.
#include "analysis/why/lossy_hosts.h"

#include "test/unit/analysis/why/sampled_run.h"

namespace lockstep::analysis {
namespace {

class LossyHosts : public SampledRun {
 protected:
  void tcp(const char* host, int64_t again, int64_t all) {
    counter(host, "tcp", 0, "retransmitted_segments", again);
    counter(host, "tcp", 0, "out_segments", all);
  }
  std::vector<Finding> found() { return find_lossy_hosts(run_, samples()); }
};

TEST_F(LossyHosts, IsTheOneThatSendsMuchMoreAgainThanTheOthers) {
  tcp("node7", 10, 100'000);
  tcp("node8", 5'000, 100'000);
  const std::vector<Finding> findings = found();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(findings[0].culprits, std::vector<int32_t>{4});
  EXPECT_EQ(findings[0].why->why, Why::Retransmits);
  EXPECT_EQ(findings[0].why->seen[0].amount, 5'000);
  EXPECT_EQ(findings[0].why->seen[0].others, 10);
}

TEST_F(LossyHosts, ShowHowMuchTheySentAgainAndWhatTheirRankWasInThen) {
  tcp("node7", 10, 100'000);
  tcp("node8", 5'000, 100'000);
  const int64_t at_ns = samples().sent_again.at("node8").front().to_ns;
  OperationRow& row = run_.operations[4];  // of the rank on node8
  row.api_start_ns = at_ns - 400 * kMs;
  row.finish_ns = at_ns - 100 * kMs;
  const std::vector<Finding> findings = found();
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_EQ(findings[0].evidence.size(), 2u);
  const auto& all = std::get<SentAgain>(findings[0].evidence[0]);
  EXPECT_EQ(all.process, 4u);
  EXPECT_EQ(all.again, 5'000);
  EXPECT_EQ(all.all, 105'000);
  const auto& stretch = std::get<SentAgainWhile>(findings[0].evidence[1]);
  EXPECT_EQ(stretch.again, 5'000);
  EXPECT_EQ(stretch.operation, 4u);
  EXPECT_EQ(stretch.inside_ns, 300 * kMs);
}

TEST_F(LossyHosts, IsNoneWhereAllLoseAsMuch) {
  tcp("node7", 3'000, 100'000);
  tcp("node8", 5'000, 100'000);
  EXPECT_TRUE(found().empty());
}

TEST_F(LossyHosts, IsNoneWhereFewSegmentsInThousandAreSentAgain) {
  tcp("node7", 0, 100'000);
  tcp("node8", 500, 100'000);
  EXPECT_TRUE(found().empty());
}

TEST_F(LossyHosts, IsNoneWhereNoOtherHostWasSampled) {
  tcp("node8", 5'000, 100'000);
  EXPECT_TRUE(found().empty());
}

TEST_F(LossyHosts, IsNoneWhereTheDataCannotHaveGoneByTcp) {
  tcp("node7", 10, 100'000);
  tcp("node8", 5'000, 100'000);
  for (OperationRow& row : run_.operations) row.size_bytes = 1'000'000'000;
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace lockstep::analysis
