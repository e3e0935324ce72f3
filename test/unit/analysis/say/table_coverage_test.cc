// The line under a table: of which ranks it is, and what could not be known there.
#include "analysis/say/table_coverage.h"

#include "lockstep/kind_mask.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

// world and tp as they are where everything was recorded.
std::vector<Capability> all_known() {
  std::vector<Capability> all;
  for (const auto& [communicator, ranks] : {std::pair(0u, 4u), {1u, 2u}}) {
    Capability& one = all.emplace_back();
    one.communicator = communicator;
    one.recorded_ranks = ranks;
    one.nranks = static_cast<int32_t>(ranks);
    one.offered = one.on = one.came = ~0u;
    one.operations = one.with_end = one.with_kernels = one.with_network = one.with_steps = 100;
    one.with_all_ranks = one.with_one_clock = one.with_wait = 100;
  }
  return all;
}

std::string line(const std::vector<Capability>& known, unsigned rests) {
  SaidRun run;
  run.aligned = true;
  return coverage_line(run, known, rests);
}

TEST(TableCoverage, IsShortWhereNothingIsUnknown) {
  EXPECT_EQ(line(all_known(), kOnEnds | kOnWaits | kOnNetwork | kOnPhases),
            "Covers all ranks of 2 communicators.");
  EXPECT_EQ(line({all_known()[1]}, kOnEnds), "Covers all 2 ranks of tp.");
  EXPECT_EQ(line(all_known(), 0), "");
}

TEST(TableCoverage, NamesTheRanksThatAreMissing) {
  auto known = all_known();
  known[0].recorded_ranks = 3;
  EXPECT_EQ(line(known, kOnCalls),
            "Covers 3 of 4 ranks of world; all ranks of the other communicator.");
  Capability third = known[1];
  known.push_back(third);
  EXPECT_EQ(line(known, kOnCalls),
            "Covers 3 of 4 ranks of world; all ranks of the other 2 communicators.");
}

TEST(TableCoverage, LeavesOutCommunicatorsThatNothingWasCalledOn) {
  auto known = all_known();
  known[0] = Capability();
  known[0].communicator = 0;
  EXPECT_EQ(line(known, kOnEnds), "Covers all 2 ranks of tp.");
}

TEST(TableCoverage, SaysThatLinksAreNotKnownWithoutNetworkSteps) {
  auto known = all_known();
  known[0].came &= ~kind_bit(Kind::ProxyStep);
  known[0].on &= ~kind_bit(Kind::ProxyStep);
  EXPECT_EQ(line(known, kOnNetwork),
            "Covers all ranks of 2 communicators. No network steps were recorded on world (they "
            "were switched off), so what its links moved, and how fast, is not known.");
  EXPECT_EQ(line(known, kOnEnds), "Covers all ranks of 2 communicators.");
}

TEST(TableCoverage, TellsWhatNcclDoesNotReportFromWhatWasSwitchedOff) {
  auto known = all_known();
  for (Capability& one : known) {
    one.came = one.on = one.offered = one.offered & ~kind_bit(Kind::KernelPhase);
  }
  EXPECT_EQ(line(known, kOnPhases),
            "Covers all ranks of 2 communicators. No phases came from kernels on any of them "
            "(this version of NCCL does not report them).");
}

TEST(TableCoverage, SaysThatStepsAreASample) {
  auto known = all_known();
  known[1].one_in = 16;
  EXPECT_NE(line(known, kOnNetwork).find("recorded of one operation in 16 only."),
            std::string::npos);
}

TEST(TableCoverage, CountsCallsWithoutAnEndOrWithoutWaits) {
  auto known = all_known();
  known[0].with_end = 60;
  known[1].with_wait = known[1].with_all_ranks = 90;
  EXPECT_EQ(
      line(known, kOnEnds | kOnWaits),
      "Covers all ranks of 2 communicators. The end of 40 of 200 rank calls is not known, and "
      "so neither their time nor bandwidth. Waits of 10 of 200 rank calls are not known "
      "across all their ranks: not every rank's call is in the recording.");
}

TEST(TableCoverage, CountsLostCalls) {
  auto known = all_known();
  known[0].lost = 3;
  EXPECT_EQ(line(known, kOnCalls),
            "Covers all ranks of 2 communicators. 3 calls of theirs were lost.");
}

}  // namespace
}  // namespace lockstep::analysis
