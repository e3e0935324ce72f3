#include "analysis/inspect/shed_range.h"

#include <gtest/gtest.h>

#include "lockstep/shared_blocks.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kFirstNs = 7'000'000'000;

dumper::Ledger with_losses(uint64_t calls) {
  dumper::Ledger ledger;
  ledger.add_loss(1, static_cast<unsigned>(Kind::ProxyStep), Call::Start, Loss::Memory, calls);
  ledger.shed_from_raw_ns = kFirstNs + 3'200'000'000;
  ledger.shed_to_raw_ns = kFirstNs + 5'000'000'000;
  return ledger;
}

TEST(ShedSentence, SaysHowManyCallsWereLostAndWhen) {
  EXPECT_EQ(shed_sentence(with_losses(120), kFirstNs),
            "120 calls were not recorded because the memory cap was reached, between 3.20 s and "
            "5.00 s after its first record");
  dumper::Ledger ledger = with_losses(1);
  ledger.shed_from_raw_ns =
      kFirstNs - 1;  // the dump thread had looked before anything was recorded
  EXPECT_EQ(shed_sentence(ledger, kFirstNs),
            "1 call was not recorded because the memory cap was reached, between 0 s and 5.00 s "
            "after its first record");
}

TEST(ShedSentence, SaysNothingWithoutLossesOrTimes) {
  EXPECT_EQ(shed_sentence(with_losses(0), kFirstNs), "");
  dumper::Ledger ledger = with_losses(3);
  ledger.shed_from_raw_ns = ledger.shed_to_raw_ns = 0;  // recorded by an earlier version
  EXPECT_EQ(shed_sentence(ledger, kFirstNs), "");
}

}  // namespace
}  // namespace lockstep::analysis
