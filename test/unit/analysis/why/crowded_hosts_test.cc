// What a finding about a host with too few processors rests on.
#include "analysis/why/crowded_hosts.h"

#include "test/unit/analysis/why/sampled_run.h"

namespace lockstep::analysis {
namespace {

class CrowdedHostsOf : public SampledRun {
 protected:
  CrowdedHostsOf() {
    LateFacts late;
    late.host = run_.processes[kCulprit].host;
    late.gain_ns = 3 * kMs;
    late.gain_share = 0.1;
    finding_.facts = late;
    finding_.confidence = 0.8;
    run_.processes[kCulprit].rank = 1;
    answer_.machine = true;
    answer_.facts.why = Why::NoProcessor;
    answer_.wait_ns = 40 * kMs;
    answer_.late_ns = 50 * kMs;
    runnable(9);
    late_by(0, 2 * kMs);
    late_by(1, 7 * kMs);
    samples().finish();
  }
  void late_by(uint32_t match, int64_t excess_ns) {
    LateOperation late;
    late.match = match;
    late.excess_ns = excess_ns;
    finding_.evidence.emplace_back(LateArrival{late});
  }
  Finding only() {
    CrowdedHosts hosts(run_, samples());
    hosts.add(finding_, answer_);
    const std::vector<Finding> found = hosts.findings();
    EXPECT_EQ(found.size(), 1u);
    return found.front();
  }
  LateAnswer answer_;
};

TEST_F(CrowdedHostsOf, ItsThreadsAndProcessorsComeFirst) {
  const Finding found = only();
  EXPECT_EQ(found.kind, FindingKind::MachineOverloaded);
  ASSERT_EQ(found.evidence.size(), 4u);
  const auto& crowded = std::get<HostCrowded>(found.evidence[0]);
  EXPECT_EQ(crowded.process, kCulprit);
  EXPECT_EQ(crowded.runnable, 9);
  EXPECT_EQ(crowded.processors, 8);
  EXPECT_EQ(crowded.samples, kSeconds);
}

TEST_F(CrowdedHostsOf, ThenWhoWaitedForAProcessorHowLong) {
  const Finding found = only();
  const auto& waited = std::get<ProcessorWaited>(found.evidence[1]);
  EXPECT_EQ(waited.ranks, std::vector<int32_t>{1});
  EXPECT_EQ(waited.processes, std::vector<uint32_t>{kCulprit});
  EXPECT_EQ(waited.wait_ns, 40 * kMs);
  EXPECT_EQ(waited.late_ns, 50 * kMs);
}

TEST_F(CrowdedHostsOf, ThenTheOperationsThatCameLateTheLatestFirst) {
  const Finding found = only();
  EXPECT_EQ(std::get<LateArrival>(found.evidence[2]).late.match, 1u);
  EXPECT_EQ(std::get<LateArrival>(found.evidence[3]).late.match, 0u);
}

TEST_F(CrowdedHostsOf, WhereAQuotaIsUsedUpItIsThat) {
  answer_.facts.why = Why::Throttled;
  WhySeen seen;
  seen.what = WhySeen::What::CgroupThrottled;
  seen.where = "/container";
  seen.amount = 30 * kMs;
  seen.of = 50 * kMs;
  answer_.facts.seen = {seen};
  const Finding found = only();
  const auto& quota = std::get<QuotaUsedUp>(found.evidence[0]);
  EXPECT_EQ(quota.cgroup, "/container");
  EXPECT_EQ(quota.throttled_ns, 30 * kMs);
  EXPECT_EQ(quota.late_ns, 50 * kMs);
}

TEST_F(CrowdedHostsOf, ItsWaitingIsThatOfAllItsRanks) {
  CrowdedHosts hosts(run_, samples());
  hosts.add(finding_, answer_);
  finding_.culprits = {2};
  hosts.add(finding_, answer_);
  const std::vector<Finding> found = hosts.findings();
  ASSERT_EQ(found.size(), 1u);
  const auto& facts = std::get<MachineFacts>(found[0].facts);
  EXPECT_EQ(facts.wait_ns, 80 * kMs);
  EXPECT_EQ(facts.late_ns, 100 * kMs);
  EXPECT_EQ(std::get<ProcessorWaited>(found[0].evidence[1]).processes, std::vector<uint32_t>{1});
  EXPECT_EQ(std::get<ProcessorWaited>(found[0].evidence[2]).processes, std::vector<uint32_t>{2});
}

// Transfers among all ranks take 2 s longer than they should, while the proxy thread of each of four waits for a
// processor `wait_ms` of each 100 ms.
class SlowTransfersOf : public SampledRun {
 protected:
  void proxies_wait(int64_t wait_ms) {
    constexpr uint32_t kProxy = 900;
    for (uint32_t process = 0; process < 4; ++process)
      waits(process, wait_ms, wait_ms, 8, kProxy + process);
    samples().finish();
  }
  Finding slower() const {
    Finding finding;
    finding.kind = FindingKind::SlowerThanExpected;
    finding.communicator = 0;
    finding.ranks = {0, 1, 2, 3, 4};
    SlowerFacts facts;
    facts.slower.gain_ns = 2'000 * kMs;
    facts.gain_share = 0.2;
    finding.facts = facts;
    return finding;
  }
  Finding slow(SlowSide side) const {
    Finding finding;
    finding.kind = FindingKind::SlowLink;
    finding.communicator = 0;
    finding.culprits = {kCulprit};
    finding.why = WhyFacts{Why::OwnCode, {}};
    PathFacts facts;
    facts.replayed = true;
    facts.side = side;
    facts.gain_ns = 2'000 * kMs;
    finding.facts = facts;
    return finding;
  }
};

TEST_F(SlowTransfersOf, RanksWhoseProxyThreadsHadNoProcessorAreTheMachines) {
  runnable(9);
  proxies_wait(10);
  CrowdedHosts hosts(run_, samples());
  EXPECT_TRUE(hosts.add_slower(slower()));
  ASSERT_EQ(hosts.findings().size(), 1u);
  const Finding found = hosts.findings().front();
  EXPECT_EQ(found.kind, FindingKind::MachineOverloaded);
  const auto& facts = std::get<MachineFacts>(found.facts);
  EXPECT_EQ(facts.host, run_.processes[0].host);
  EXPECT_EQ(facts.serving_wait_ns, 4'000 * kMs);
  EXPECT_EQ(facts.gain_ns, 2'000 * kMs);
  EXPECT_EQ(std::get<ProcessorWaited>(found.evidence.at(1)).processes,
            (std::vector<uint32_t>{0, 1, 2, 3}));
}

// The threads of a rank may serve several communicators.
TEST_F(SlowTransfersOf, TwoKindsAreTheWaitingOfTheSameThreads) {
  runnable(9);
  proxies_wait(10);
  CrowdedHosts hosts(run_, samples());
  hosts.add_slower(slower());
  hosts.add_slower(slower());
  const auto& facts = std::get<MachineFacts>(hosts.findings().at(0).facts);
  EXPECT_EQ(facts.serving_wait_ns, 4'000 * kMs);
  EXPECT_EQ(facts.gain_ns, 4'000 * kMs);
}

TEST_F(SlowTransfersOf, RanksWhoseProxyThreadsWaitedLessThanTheyCostAreNot) {
  runnable(9);
  proxies_wait(4);
  CrowdedHosts hosts(run_, samples());
  EXPECT_FALSE(hosts.add_slower(slower()));
  EXPECT_TRUE(hosts.findings().empty());
}

TEST_F(SlowTransfersOf, AHostWithProcessorsForAllAreNot) {
  runnable(8);
  proxies_wait(10);
  CrowdedHosts hosts(run_, samples());
  EXPECT_FALSE(hosts.add_slower(slower()));
}

TEST_F(SlowTransfersOf, ARankThatOnlyEndsShowAreTheMachinesAndASlowWayIsNot) {
  runnable(9);
  proxies_wait(10);
  CrowdedHosts hosts(run_, samples());
  EXPECT_FALSE(hosts.add_slow_path(slow(SlowSide::Way)));
  EXPECT_FALSE(hosts.add_slow_path(slow(SlowSide::Link)));
  EXPECT_TRUE(hosts.add_slow_path(slow(SlowSide::SenderOrLink)));
}

}  // namespace
}  // namespace lockstep::analysis
