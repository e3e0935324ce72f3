#include "analysis/inspect/withheld_kinds.h"

#include <gtest/gtest.h>

#include "lockstep/kind_mask.h"
#include "lockstep/record_fields.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

struct Job {
  WithheldKinds kinds;
  dumper::ProcessFacts facts;
  dumper::Ledger ledger;
  uint64_t serial = 1, ticks = 1;

  Job() {
    facts.activation_mask =
        kind_bit(Kind::CollApi) | kind_bit(Kind::Coll) | kind_bit(Kind::KernelCh);
  }
  template <typename Record>
  void start(Record record, uint32_t comm) {
    record.id = make_event_id(static_cast<Kind>(kTagOf<Record>), comm, serial++);
    uint64_t words[kMaxWords] = {make_word0(kTagOf<Record>, ticks++)};
    record.write(words);
    kinds.see(words);
  }
  void calls(int count, uint32_t comm = 1) {
    for (int i = 0; i < count; ++i) start(CollApiRecord{}, comm);
  }
  void operations(int count, bool with_kernels, uint32_t comm = 1) {
    for (int i = 0; i < count; ++i) {
      start(CollApiRecord{}, comm);
      start(CollRecord{}, comm);
      if (with_kernels) start(KernelChRecord{}, comm);
    }
  }
  std::string said() const {
    std::string all;
    for (const std::string& text : kinds.withheld(facts, ledger))
      all += text.substr(0, text.find(' ')) + " ";
    return all;
  }
};

TEST(WithheldKinds, AKindThatStopsWhileItsCompanionGoesOnWasWithheld) {
  Job job;
  job.operations(1000, true);
  EXPECT_EQ(job.said(), "");
  job.operations(300, false);
  EXPECT_EQ(job.said(), "KernelCh ");
  job.calls(300);
  EXPECT_EQ(job.said(), "Coll KernelCh ");
}

TEST(WithheldKinds, AFewOrAnothersAreNoSign) {
  Job job;
  job.operations(1000, true);
  job.calls(150);
  EXPECT_EQ(job.said(), "");
  job.calls(1000, 2);  // a communicator of one rank has no operations
  EXPECT_EQ(job.said(), "");
}

TEST(WithheldKinds, ACopyEngineTakesOperationsAway) {
  Job job;
  job.operations(1000, false);
  for (int i = 0; i < 300; ++i) {
    job.start(CollApiRecord{}, 1);
    job.start(CeCollRecord{}, 1);
  }
  EXPECT_EQ(job.said(), "");
}

TEST(WithheldKinds, WhatTheProcessWasToldOrNeverAskedForIsNoSign) {
  Job job;
  job.operations(1000, true);
  job.operations(300, false);
  job.facts.activation_mask &= ~kind_bit(Kind::KernelCh);
  EXPECT_EQ(job.said(), "");
  job.facts.activation_mask |= kind_bit(Kind::KernelCh);
  job.ledger.add_loss(1, static_cast<unsigned>(Kind::KernelCh), Call::Start, Loss::Memory, 1);
  EXPECT_EQ(job.said(), "");
  job.ledger.losses.clear();
  EXPECT_EQ(job.said(), "KernelCh ");
  job.ledger.notes = {"2026-11-22T10:00:00Z events set to Coll by the control socket; recorded"};
  EXPECT_EQ(job.said(), "");
}

TEST(WithheldKinds, CallsThatNobodyAskedForAreCountedAndNamed) {
  Job job;
  const auto filtered = [&](Kind kind, uint64_t count) {
    job.ledger.add_loss(1, static_cast<unsigned>(kind), Call::Start, Loss::Filtered, count);
  };
  filtered(Kind::Coll, 7);  // asked for: switched off for a moment
  EXPECT_TRUE(job.kinds.uncalled_for(job.facts, job.ledger).empty());
  filtered(Kind::ProxyStep, 40);
  filtered(Kind::NetPlugin, 2);
  const auto said = job.kinds.uncalled_for(job.facts, job.ledger);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("42 times"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("ProxyStep, NetPlugin"), std::string::npos) << said[0];
  job.ledger.notes = {"held back ProxyStep: the last second cost 3 percent"};
  EXPECT_TRUE(job.kinds.uncalled_for(job.facts, job.ledger).empty());
}

}  // namespace
}  // namespace lockstep::analysis
