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
