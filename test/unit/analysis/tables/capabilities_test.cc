// What is known of each communicator, by the tables of a run.
#include "analysis/tables/capabilities.h"

#include "lockstep/kind_mask.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

TEST(Capabilities, CountWhatIsKnownOfTheCallsOfEachCommunicator) {
  SaidRun run;
  run.matches[0].expected = 4;
  run.matches[0].comparable = 1;
  run.operations[0].match = 0;
  run.operations[0].finish_ns = 5;
  run.operations[0].steps = 7;
  run.operations.push_back(run.operations[0]);
  run.operations.back().assembled = 0;  // counted with the whole
  const auto known = find_capabilities(run);
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].operations, 1u);
  EXPECT_EQ(known[0].with_end, 1u);
  EXPECT_EQ(known[0].with_steps, 1u);
  EXPECT_EQ(known[0].with_wait, 1u);
  EXPECT_EQ(known[1].operations, 1u);
  EXPECT_EQ(known[1].with_end, 0u);
  EXPECT_EQ(known[1].with_wait, 0u);
}

TEST(Capabilities, TellKindsThatCameFromThoseThatWereOffOrNotOffered) {
  SaidRun run;
  for (ProcessRow& process : run.processes) {
    process.nccl_api = run.strings.intern("v3");
    process.kinds = kind_bit(Kind::Coll) | kind_bit(Kind::KernelPhase);
  }
  LedgerRow& kept = run.ledger.emplace_back();
  kept.communicator = 1;
  kept.kind = static_cast<uint8_t>(Kind::Coll);
  kept.kept = 2;
  kept.lost[static_cast<size_t>(Loss::Memory)] = 5;
  kept.lost[static_cast<size_t>(Loss::Filtered)] = 6;
  const auto known = find_capabilities(run);
  EXPECT_EQ(known[0].came, 0u);
  EXPECT_EQ(known[1].came, kind_bit(Kind::Coll));
  EXPECT_EQ(known[1].on, kind_bit(Kind::Coll));
  EXPECT_EQ(known[1].offered & (kind_bit(Kind::CollApi) | kind_bit(Kind::ProxyStep)),
            kind_bit(Kind::ProxyStep));
  EXPECT_EQ(known[1].lost, 5u);
}

TEST(Capabilities, TakeTheSamplingThatAnyRankAskedFor) {
  SaidRun run;
  run.settings.push_back({3, run.strings.intern("events"), run.strings.intern("step:1/16")});
  const auto known = find_capabilities(run);
  EXPECT_EQ(known[0].one_in, 16u);
  EXPECT_EQ(known[1].one_in, 16u);
  run.settings[0].process = 0;
  EXPECT_EQ(find_capabilities(run)[1].one_in, 1u);
}

TEST(Capabilities, SayForHowLongAnyRankWasRecorded) {
  SaidRun run;
  run.members[1].init_ns = 100;
  run.members[1].finalize_ns = 350;
  run.members[2].init_ns = 100;
  run.processes[2].last_ns = 900;
  EXPECT_EQ(find_capabilities(run)[0].recorded_ns, 800);
}

}  // namespace
}  // namespace lockstep::analysis
