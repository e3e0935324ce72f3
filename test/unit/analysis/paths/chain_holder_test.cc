// Chains over two hosts of four ranks each, whose sender is rank 3: data comes to rank 0 or begins on its host.
#include "analysis/paths/chain_holder.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kTook = 1'000 * kUs;
constexpr uint32_t kSender = 3;

// Ranks are actors; each chain says when they end.
class Chains {
 public:
  Chains() {
    for (uint32_t rank = 0; rank < 8; ++rank) {
      run_.processes.emplace_back();
      run_.processes.back().host = rank / 4 + 1;
      own_.actors.emplace_back();
      own_.actors.back().process = rank;
    }
  }
  void add(const std::vector<int64_t>& ends_us) {
    MatchRow match;
    match.first_arrival = static_cast<uint32_t>(run_.arrivals.size());
    match.arrivals = static_cast<uint32_t>(ends_us.size());
    for (uint32_t rank = 0; rank < ends_us.size(); ++rank) {
      ArrivalRow arrival;
      arrival.operation = static_cast<uint32_t>(run_.operations.size());
      run_.arrivals.push_back(arrival);
      OperationRow operation;
      operation.process = rank;
      operation.kernel_stop_ns = ends_us[rank] * kUs;
      run_.operations.push_back(operation);
      own_.segments.emplace_back();
      own_.segments.back().actor = rank;
    }
    rows_.push_back(static_cast<uint32_t>(run_.matches.size()));
    run_.matches.push_back(match);
  }
  void sends(uint32_t rank, int32_t peer) {
    for (size_t row = rank; row < run_.operations.size(); row += 8)
      run_.operations[row].send_peer = peer;
  }
  uint32_t holder() const { return holder_of_chains(run_, own_, kSender, rows_, kTook); }

 private:
  RunTables run_;
  OwnSegments own_;
  std::vector<uint32_t> rows_;
};

TEST(ChainHolder, ARankInTheMiddleEndsLongAfterTheOneBeforeIt) {
  Chains chains;
  chains.add({300, 310, 900, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), 2u);
}

TEST(ChainHolder, OfSeveralThatEndLateTheLastHoldsUpTheOthers) {
  Chains chains;
  chains.add({300, 600, 900, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), 2u);
}

TEST(ChainHolder, ASenderThatEndsLateIsTheSlowOneOrItsLinkIs) {
  Chains chains;
  chains.add({300, 310, 320, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), kSender);
}

TEST(ChainHolder, WhereAllEndTogetherTheFirstIsIfTheChainBeginsThere) {
  Chains chains;
  chains.add({880, 890, 900, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), 0u);
}

TEST(ChainHolder, WhereTheDataCameFromAnotherHostItsWayThereMayBeSlow) {
  Chains chains;
  chains.add({880, 890, 900, 910, 1'000, 1'010, 1'020, 500});
  EXPECT_EQ(chains.holder(), kSender);
}

TEST(ChainHolder, ChainsThatTellOfDifferentRanksTellNothing) {
  Chains chains;
  chains.add({300, 310, 900, 910, 1'000, 1'010, 1'020, 1'030});
  chains.add({300, 900, 905, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), kSender);
  chains.add({300, 310, 900, 910, 1'000, 1'010, 1'020, 1'030});
  chains.add({300, 310, 900, 910, 1'000, 1'010, 1'020, 1'030});
  EXPECT_EQ(chains.holder(), 2u);
}

// Each channel passes the ranks of its host in an order of its own.
TEST(ChainHolder, WhereChannelsLeaveTheHostAtSeveralRanksTheEndsTellNothing) {
  Chains chains;
  chains.add({300, 310, 900, 910, 1'000, 1'010, 1'020, 1'030});
  chains.sends(kSender, 4);
  EXPECT_EQ(chains.holder(), 2u);
  chains.sends(0, 5);
  EXPECT_EQ(chains.holder(), kSender);
}

TEST(ChainHolder, WithoutKernelEndsNothingIsKnown) {
  Chains chains;
  chains.add({300, 310, 900});  // the sender's is not recorded
  EXPECT_EQ(chains.holder(), kSender);
}

}  // namespace
}  // namespace lockstep::analysis
