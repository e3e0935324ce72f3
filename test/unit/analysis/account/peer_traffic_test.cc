// Sends and receives by pair of ranks, from rows laid out by hand.
#include "analysis/account/peer_traffic.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

void call(RunTables* run, const char* func, int32_t rank, int32_t peer, uint64_t size_bytes,
          OpState state) {
  OperationRow row;
  row.communicator = 0;
  row.func = run->strings.intern(func);
  row.rank = rank;
  row.peer = peer;
  row.size_bytes = size_bytes;
  row.state = state;
  run->operations.push_back(row);
}

TEST(PeerTraffic, CountsCallsByPairAndNotWhatWasOnlyCaptured) {
  RunTables run;
  run.communicators.resize(1);
  call(&run, "Send", 0, 1, 100, OpState::Captured);
  call(&run, "Send", 0, 1, 100, OpState::Done);
  call(&run, "Send", 0, 1, 50, OpState::InFlight);
  call(&run, "Recv", 0, 1, 7, OpState::Done);
  call(&run, "Recv", 1, 0, 100, OpState::Done);
  call(&run, "AllReduce", 1, -1, 999, OpState::Done);
  const std::vector<PeerTrafficRow> rows = find_peer_traffic(run);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rank, 0);
  EXPECT_EQ(rows[0].peer, 1);
  EXPECT_EQ(rows[0].sends, 2u);
  EXPECT_EQ(rows[0].sent_bytes, 150u);
  EXPECT_EQ(rows[0].receives, 1u);
  EXPECT_EQ(rows[0].received_bytes, 7u);
  EXPECT_EQ(rows[1].sends, 0u);
  EXPECT_EQ(rows[1].received_bytes, 100u);
}

TEST(PeerTraffic, MeasuresTheUnevenAgainstTheMeanOfAllThatTakePart) {
  std::vector<PeerTrafficRow> traffic(2);
  for (int32_t rank = 0; rank < 2; ++rank) {
    PeerTrafficRow& row = traffic[static_cast<size_t>(rank)];
    row.communicator = 0;
    row.rank = rank;
    row.peer = 1 - rank;
    row.sends = row.receives = 1;
    row.sent_bytes = rank == 0 ? 300 : 100;
    row.received_bytes = rank == 0 ? 100 : 300;
  }
  const std::vector<Imbalance> found = find_imbalances(traffic);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 400u);
  EXPECT_EQ(found[0].pairs, 2u);
  EXPECT_EQ(found[0].most_sent_by, 0);
  EXPECT_EQ(found[0].most_received_by, 1);
  EXPECT_DOUBLE_EQ(found[0].sent_factor, 1.5);
}

}  // namespace
}  // namespace lockstep::analysis
