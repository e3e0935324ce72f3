// Which of the things that a host did to a late rank is said to be why.
#include "analysis/why/why_late.h"

#include "test/unit/analysis/why/sampled_run.h"

namespace lockstep::analysis {
namespace {

class WhyLate : public SampledRun {
 protected:
  void throttled(const char* cgroup, int64_t ms) {
    HostLoadRow row;
    row.cgroup = cgroup;
    row.throttled_ns = ms * kMs;
    host(row);
  }
  void stalled(int64_t memory_ms, const char* cgroup = "") {
    HostLoadRow row;
    row.cgroup = cgroup;
    row.memory_pressure_ns = memory_ms * kMs;
    host(row);
  }
  void at_limit(int64_t pid, int64_t hits, int64_t refaults) {
    HostLoadRow row;
    row.cgroup = "memory:/job";
    row.only_pid = pid;
    row.memory_limit_hits = hits;
    row.memory_refaults = refaults;
    host(row);
  }
  LateAnswer answer() {
    all_.accused = {kCulprit};
    if (all_.excess_ns.empty()) {
      all_.excess_ns.assign(kRanks, 0);
      all_.excess_ns[kCulprit] = all_ns_;
    }
    samples().finish();
    return why_late(run_, finding_, windows_, all_, samples());
  }
  Why why() { return answer().facts.why; }

  AllLateness all_;
};

TEST_F(WhyLate, NoProcessorWhereItWaitedForOneWhileItWasLate) {
  waits(kCulprit, 45, 0);
  everybody_else_waits(5, 5);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::NoProcessor);
  ASSERT_EQ(got.facts.seen.size(), 1u);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::ProcessorWait);
  EXPECT_EQ(got.facts.seen[0].amount, kSeconds * 40 * kMs);
  EXPECT_EQ(got.facts.seen[0].others, kSeconds * 5 * kMs);
  EXPECT_EQ(got.facts.seen[0].of, all_ns_);
  EXPECT_FALSE(got.machine);
}

// A proxy thread spins: on a busy host it waits whatever its rank does.
TEST_F(WhyLate, OwnCodeWhereOnlyItsProxyThreadWaited) {
  constexpr uint32_t kProxy = 900;
  waits(kCulprit, 0, 0);
  waits(kCulprit, 45, 45, 8, kProxy);
  everybody_else_waits(0, 0);
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, OwnCodeWhereTheOthersOfItsHostWaitedAsLong) {
  waits(kCulprit, 45, 45);
  everybody_else_waits(40, 40);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::OwnCode);
  ASSERT_EQ(got.facts.seen.size(), 1u) << "what it did wait belongs to the evidence";
  EXPECT_EQ(got.facts.seen[0].amount, kSeconds * 5 * kMs);
}

TEST_F(WhyLate, OwnCodeWhereItWaitedOnlyWhenItWasNotLate) {
  waits(kCulprit, 0, 90);
  everybody_else_waits(0, 0);
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, AloneOnItsHostItIsComparedWithItselfWhenItIsNotLate) {
  finding_.culprits = {4};
  for (LateWindow& window : windows_) {
    window.process = 4;
    window.tid = pid_of(4);
  }
  waits(4, 45, 45);
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, NotKnownWhereNothingWasSampledThen) { EXPECT_EQ(why(), Why::NotKnown); }

TEST_F(WhyLate, NotKnownWhereOnlyOneOfTenMomentsWasSampled) {
  for (size_t i = 1; i < windows_.size(); ++i) {
    windows_[i].from_ns += 1000 * 1000 * kMs;
    windows_[i].to_ns += 1000 * 1000 * kMs;
  }
  waits(kCulprit, 45, 0);
  EXPECT_EQ(why(), Why::NotKnown);
}

TEST_F(WhyLate, ThrottledWhereTheQuotaOfACgroupRanOutMeanwhile) {
  waits(kCulprit, 45, 0);
  everybody_else_waits(0, 0);
  throttled("cpu:/job", 40);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::Throttled);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::CgroupThrottled);
  EXPECT_EQ(got.facts.seen[0].where, "cpu:/job");
  EXPECT_EQ(got.facts.seen[0].amount, kSeconds * 40 * kMs);
}

TEST_F(WhyLate, NotThrottledWhereSomebodyElseWas) {
  waits(kCulprit, 0, 0);
  everybody_else_waits(45, 0);
  throttled("cpu:/other", 45);
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, MemoryPressureWhereThreadsWaitedForMemory) {
  waits(kCulprit, 1, 1);
  stalled(30);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::MemoryPressure);
  EXPECT_EQ(got.facts.seen[0].amount, kSeconds * 30 * kMs);
}

TEST_F(WhyLate, MemoryPressureWhereThreadsOfItsCgroupWaitedForMemory) {
  waits(kCulprit, 1, 1);
  stalled(0);
  stalled(30, "/job");
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::MemoryPressure);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::MemoryStall);
  EXPECT_EQ(got.facts.seen[0].where, "/job");
}

TEST_F(WhyLate, MemoryPressureWhereItsCgroupAtItsLimitReadsAgainWhatItThrewOut) {
  waits(kCulprit, 1, 1);
  at_limit(pid_of(kCulprit), 1'000, 5'000);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::MemoryPressure);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::MemoryLimit);
  EXPECT_EQ(got.facts.seen[0].where, "memory:/job");
  EXPECT_EQ(got.facts.seen[0].amount, all_ns_);
}

TEST_F(WhyLate, OwnCodeWhereTheCgroupAtItsLimitIsAnothers) {
  waits(kCulprit, 1, 1);
  at_limit(pid_of(0), 1'000, 5'000);
  at_limit(kNoTime, 1'000, 5'000);  // of several processes
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, OwnCodeWhereItsCgroupIsFullButReadsNothingAgain) {
  waits(kCulprit, 1, 1);
  at_limit(pid_of(kCulprit), 1'000, 10);
  at_limit(pid_of(kCulprit), 10, 5'000);
  EXPECT_EQ(why(), Why::OwnCode);
}

TEST_F(WhyLate, ThrottledWhereTheClockOfItsGpuWasHeldDown) {
  gpu(kCulprit, "throttle_reasons", 500, 0x40, 0x40);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::Throttled);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::GpuThrottled);
  EXPECT_EQ(got.facts.seen[0].where, "GPU-1");
  EXPECT_EQ(got.facts.seen[0].amount, all_ns_);
}

TEST_F(WhyLate, NotThrottledWhereTheClocksOfOtherGpusWereHeldDownToo) {
  for (const uint32_t process : {0u, kCulprit}) gpu(process, "throttle_reasons", 500, 0x40, 0x40);
  EXPECT_EQ(why(), Why::NotKnown);
}

TEST_F(WhyLate, NotThrottledByThePowerCapThatLargeGpusWorkAt) {
  gpu(kCulprit, "throttle_reasons", 500, 4, 4);
  EXPECT_EQ(why(), Why::NotKnown);
}

TEST_F(WhyLate, GpuErrorsWhereItsGpuCountedThemWhileItWasLate) {
  for (int64_t second = 1; second <= 6; ++second)
    gpu(kCulprit, "nvlink1_crc_data_errors", 1000 * second, second, 1);
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::GpuErrors);
  EXPECT_EQ(got.facts.seen[0].where, "GPU-1 nvlink1_crc_data_errors");
}

TEST_F(WhyLate, PrecededByCommunicatorsThatItHadJustCreated) {
  for (const LateWindow& window : windows_) {
    MemberRow member = run_.members[kCulprit];
    member.init_ns = window.from_ns + 1;
    run_.members.push_back(member);
  }
  const LateAnswer got = answer();
  EXPECT_EQ(got.facts.why, Why::PrecededBy);
  EXPECT_EQ(got.facts.seen[0].what, WhySeen::What::NewCommunicator);
  EXPECT_EQ(got.facts.seen[0].amount, kSeconds);
}

TEST_F(WhyLate, PrecededByWhatComesAtAPeriod) {
  LateFacts facts;
  facts.late = 10;
  facts.pattern.when = WhenLate::Periodic;
  finding_.facts = facts;
  EXPECT_EQ(why(), Why::PrecededBy);
}

TEST_F(WhyLate, TheMachineWhereMoreThreadsWantToRunThanItHasProcessors) {
  waits(kCulprit, 45, 5);
  everybody_else_waits(5, 5);
  runnable(9);
  const LateAnswer got = answer();
  EXPECT_TRUE(got.machine);
  EXPECT_EQ(got.facts.why, Why::NoProcessor);
}

TEST_F(WhyLate, TheMachineWhereTheOthersWaitAsLongAndAreLateAlike) {
  waits(kCulprit, 60, 60);
  everybody_else_waits(60, 60);
  runnable(9);
  all_.excess_ns = {all_ns_ * 8 / 10, all_ns_, all_ns_ * 8 / 10, all_ns_ / 10, 0};
  const LateAnswer got = answer();
  EXPECT_TRUE(got.machine);
  EXPECT_EQ(got.facts.why, Why::NoProcessor);
  EXPECT_EQ(got.facts.seen[0].amount, all_ns_);
}

TEST_F(WhyLate, TheRankWhereTheOthersWaitAsLongAndAreNotLate) {
  waits(kCulprit, 60, 60);
  everybody_else_waits(60, 60);
  runnable(9);
  all_.excess_ns = {all_ns_ / 10, all_ns_, all_ns_ / 5, all_ns_ * 8 / 10, 0};
  const LateAnswer got = answer();
  EXPECT_FALSE(got.machine);
  EXPECT_EQ(got.facts.why, Why::OwnCode);
  EXPECT_NEAR(static_cast<double>(got.facts.seen[0].amount), 0.2 * static_cast<double>(all_ns_),
              1e6);
}

TEST_F(WhyLate, NoProcessorWhereWaitingBeyondTheOthersIsMostOfIt) {
  waits(kCulprit, 50, 10);
  everybody_else_waits(20, 10);
  runnable(9);
  const LateAnswer got = answer();  // 300 ms more than the others, of 500 ms
  EXPECT_FALSE(got.machine);
  EXPECT_EQ(got.facts.why, Why::NoProcessor);
}

TEST_F(WhyLate, TheRankWhereItIsBoundToAProcessorThatOthersUse) {
  waits(kCulprit, 45, 45, 1);
  everybody_else_waits(5, 5);
  runnable(9);
  const LateAnswer got = answer();
  EXPECT_FALSE(got.machine);
  EXPECT_EQ(got.facts.why, Why::NoProcessor);
}

TEST_F(WhyLate, TheMachineWhereBoundRanksWaitAndAreLateAlike) {
  waits(kCulprit, 45, 45, 1);
  everybody_else_waits(40, 40, 1);
  runnable(9);
  all_.excess_ns = {all_ns_ / 2, all_ns_, all_ns_ / 2, all_ns_ / 2, 0};
  EXPECT_TRUE(answer().machine);
}

TEST_F(WhyLate, TheRankLessSurelyWhereTheOthersWaitAndAreNotLate) {
  waits(kCulprit, 45, 45);
  everybody_else_waits(45, 45);
  runnable(9);
  const LateAnswer got = answer();
  EXPECT_FALSE(got.machine);
  EXPECT_EQ(got.facts.why, Why::OwnCode);
  EXPECT_NEAR(got.doubt, 0.9, 0.01);
}

TEST_F(WhyLate, TheMachineWhereAQuotaHoldsAllRanksBack) {
  waits(kCulprit, 45, 45);
  everybody_else_waits(40, 40);
  runnable(3);
  throttled("/container", 500);
  all_.excess_ns.assign(kRanks, all_ns_);
  const LateAnswer got = answer();
  EXPECT_TRUE(got.machine);
  EXPECT_EQ(got.facts.why, Why::Throttled);
}

}  // namespace
}  // namespace lockstep::analysis
