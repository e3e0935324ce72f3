// Where data stopped, of operations that all ranks are inside.
#include "analysis/judge/transport_verdict.h"

#include <algorithm>
#include <memory>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// Of a ring of three in which all wait for data, whoever passed on less than it got holds it back;
// whose GPU leaves alone what arrived stands still itself.
Judged judged_steps(uint8_t receive_state, uint32_t received) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i <= kOperations; ++i) {
      driver::RankOperation op = i == kOperations ? open_at(i) : operation_at(i, 0);
      op.steps = 2;
      op.channels = 1;
      records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  auto tables = run.load();
  for (OpenTransportRow& row : tables->open_transports) {
    const uint8_t received_state = row.rank == 1 ? receive_state : uint8_t{kRecvWait};
    row.last_state = row.is_send != 0 ? uint8_t{kSendGpuWait} : received_state;
    row.steps_done = row.is_send != 0 ? 1 : row.rank == 1 ? received : 1;
    tables->operations[row.operation].received_bytes = 1;
  }
  return Judged(std::move(tables));
}

TEST(Transport, AccusesWhoHoldsBackWhatItReceived) {
  const Judged judged = judged_steps(kRecvWait, 2);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckInTransport);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1}) << judged.text();
}

TEST(Transport, AccusesTheGpuThatTakesNothing) {
  const Judged judged = judged_steps(kRecvGpuWait, 1);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckOnGpu);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1}) << judged.text();
}

TEST(Transport, AccusesNobodyWhereAllWaitAlike) {
  const Judged judged = judged_steps(kRecvWait, 1);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{}) << judged.text();
}

// A ring of ranks 0 and 1 on host a, 2 and 3 on host b: only 1 -> 2 and 3 -> 0 are network operations; or
// of a rank to each host. `through` tells which of those that were open have ended, or how many steps they
// did.
template <class Through>
Judged judged_ring(const Through& through, int32_t per_host = 2) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i <= kOperations; ++i) {
      driver::RankOperation op = i == kOperations ? open_at(i) : operation_at(i, 0);
      op.channels = 1;
      records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&records.user, &records.proxy},
            host_of(rank, per_host));
  }
  align_hosts(run, 4, per_host);
  auto tables = run.load();
  std::vector<OpenTransportRow> kept;
  for (OpenTransportRow row : tables->open_transports) {
    const bool between_hosts = per_host == 1 || (row.rank % 2 == 1) == (row.is_send != 0);
    if (between_hosts && through(&row)) kept.push_back(row);
  }
  tables->open_transports = kept;
  return Judged(std::move(tables));
}

TEST(Transport, AccusesTheHostWhoseReceivesEndedAndWhoseSendsDidNot) {
  const Judged judged =
      judged_ring([](const OpenTransportRow* row) { return row->rank == 1 || row->rank == 2; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckInTransport);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{0, 1})) << judged.text();
  EXPECT_NE(judged.text().find("One of ranks 0 and 1 holds it up"), std::string::npos)
      << judged.text();
}

TEST(Transport, IsNotSureOfAHostWhoseDataDoesNotFitIntoTheBuffersOfTheNext) {
  const auto confidence = [](uint32_t planned) {
    const Judged judged = judged_ring([&](OpenTransportRow* row) {
      row->steps_planned = planned;
      return row->rank == 1 || row->rank == 2;
    });
    const bool said = judged.text().find("or the next host does not take it") != std::string::npos;
    EXPECT_EQ(said, planned > 8) << judged.text();
    return judged.findings.at(0).confidence;
  };
  EXPECT_GE(confidence(8), 0.6);
  EXPECT_LE(confidence(14), 0.5);
}

TEST(Transport, AccusesTheHostThatSentLessThanItReceived) {
  const Judged judged = judged_ring([](OpenTransportRow* row) {
    row->last_state = row->is_send != 0 ? uint8_t{kSendGpuWait} : uint8_t{kRecvWait};
    const bool after_b = row->rank == 3 || row->rank == 0;
    row->steps_done = after_b ? 2 : 5;
    return true;
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{2, 3})) << judged.text();
}

// Rank 1 has data for rank 2, which has taken `taken` steps of it and takes no more. With two ranks to a host it is rank 3
// that sends what goes on.
Judged judged_taken(uint32_t taken, int32_t per_host) {
  return judged_ring(
      [=](OpenTransportRow* row) {
        const uint8_t sends = row->rank == 1 ? kSendPeerWait : kSendGpuWait;
        const uint8_t receives = row->rank == 2 ? kRecvGpuWait : kRecvWait;
        row->last_state = row->is_send != 0 ? sends : receives;
        row->steps_done = row->rank == 1 ? 6 : taken;
        return true;
      },
      per_host);
}

TEST(Transport, NamesAllOfAHostThatTakesNoMoreWhereItsDataLeavesAtAnotherRank) {
  const Judged judged = judged_taken(2, 2);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{2, 3}));
  EXPECT_NE(judged.text().find("One of ranks 2 and 3 holds it up"), std::string::npos)
      << judged.text();
  EXPECT_EQ(judged_taken(2, 1).findings.at(0).culprits, Ranks{2}) << "it leaves at rank 2";
  EXPECT_EQ(judged_taken(0, 2).findings.at(0).culprits, Ranks{2}) << "rank 2 took nothing";
}

// Two hosts of two ranks, whose channels go 0, 1, 2, 3 and 1, 0, 3, 2. What rank 0 receives on the one is not what it
// sends on the other.
TEST(Transport, AccusesTheHostAndNoneOfItsRanksWhereChannelsLeaveItAtEach) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i <= kOperations; ++i)
      records.operation(i == kOperations ? open_at(i) : operation_at(i, 0));
    run.add(static_cast<uint32_t>(10 + rank), {&records.user, &records.proxy}, host_of(rank, 2));
  }
  align_hosts(run, 4, 2);
  auto tables = run.load();
  std::vector<OpenTransportRow> kept;
  for (OpenTransportRow row : tables->open_transports) {
    const bool receives = row.is_send == 0, from_a = (row.rank < 2) != receives;
    if (receives != (row.rank % 2 == row.channel)) continue;
    row.peer = 3 - row.rank;
    row.last_state = receives ? uint8_t{kRecvWait} : uint8_t{kSendGpuWait};
    if (row.channel == 0)
      row.steps_done = from_a ? 4 : 5;
    else
      row.steps_done = from_a ? 2 : 4;
    tables->operations[row.operation].received_bytes = 1;
    kept.push_back(row);
  }
  ASSERT_EQ(kept.size(), 8u);
  tables->open_transports = kept;
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{0, 1})) << judged.text();
}

TEST(Transport, AccusesTheHostThatSeveralLostSendsHaveInCommon) {
  const auto judged = [](int32_t first, int32_t second) {
    return judged_ring(
        [=](OpenTransportRow* row) {
          const bool lost = row->rank == first || row->rank == second;
          row->last_state = row->is_send == 0 ? uint8_t{kRecvWait}
                            : lost            ? uint8_t{kSendWait}
                                              : uint8_t{kSendGpuWait};
          return true;
        },
        1);
  };
  const Judged one = judged(1, 2);
  ASSERT_EQ(one.findings.size(), 1u) << all_text(one);
  EXPECT_EQ(one.findings[0].culprits, Ranks{2}) << one.text();
  EXPECT_NE(one.text().find("What rank 2 sends to other hosts entered the network"),
            std::string::npos)
      << one.text();
  EXPECT_EQ(judged(0, 2).text().find("to other hosts"), std::string::npos) << "none in common";
}

TEST(Transport, AccusesNobodyOfARingInWhichNothingHasEnded) {
  const Judged judged = judged_ring([](const OpenTransportRow*) { return true; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{}) << judged.text();
  EXPECT_NE(all_text(judged).find("LOCKSTEP_EVENTS=step"), std::string::npos) << all_text(judged);
}

driver::RankOperation transfer(const std::string& func, int32_t peer, bool ends) {
  driver::RankOperation op = ends ? operation_at(kOperations, 0) : open_at(kOperations);
  op.func = func;
  op.peer = peer;
  op.channels = 1;
  return op;
}

// Four ranks that have come to their last operations; call(rank, &records) is what each still calls.
template <class Call>
Judged judged_transfers(
    const Call& call, void (*change)(RunTables*) = [](RunTables*) {}) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    call(rank, &records);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  auto tables = run.load();
  change(tables.get());
  return Judged(std::move(tables));
}

TEST(Transport, NamesBothEndsOfATransferWhereNothingTellsThemApart) {
  const Judged judged = judged_transfers([](int32_t rank, driver::RankRecords* records) {
    if (rank == 1) records->operation(transfer("Send", 2, false));
    if (rank == 2) records->operation(transfer("Recv", 1, false));
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckInTransport);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{1, 2}));
  EXPECT_NE(judged.text().find("One of ranks 1 and 2 holds it up"), std::string::npos)
      << judged.text();
}

TEST(Transport, AccusesTheReceiverWhoseKernelNeverBeganAlsoWhenTheSendHasEnded) {
  const Judged judged = judged_transfers([](int32_t rank, driver::RankRecords* records) {
    driver::RankOperation queued = transfer("Recv", 1, false);
    queued.channels = 0;
    if (rank == 1) records->operation(transfer("Send", 2, true));
    if (rank == 2) records->operation(queued);
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckOnGpu);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{2}) << judged.text();
}

// Rank 2 receives from rank 1 and from rank 3, which never sends. The kernel is at that, or one of two kernels is.
Judged judged_behind_missing(void (*change)(RunTables*)) {
  return judged_transfers(
      [](int32_t rank, driver::RankRecords* records) {
        driver::RankOperation later = transfer("Recv", 1, false);
        later.channels = 0;
        if (rank == 1) records->operation(transfer("Send", 2, true));
        if (rank == 2) records->operation(later);
        if (rank == 2) records->operation(transfer("Recv", 3, false));
      },
      change);
}
void set_group_call(RunTables* run, uint64_t group) {
  for (OperationRow& row : run->operations) {
    if (row.rank == 2 && row.kind == OpKind::PointToPoint) row.group_id = group;
  }
}

TEST(Transport, AccusesNoReceiverWhoseKernelIsAtAnotherTransferOfItsGroupCall) {
  const Judged judged = judged_behind_missing([](RunTables* run) { set_group_call(run, 99); });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, Ranks{3}) << judged.text();
}

// Rank 2's kernel sent to rank 1, which has all, and did not come to what it receives: rank 3 never sends.
TEST(Transport, AccusesNoReceiverWhoseKernelHasBegunWithWhatArrived) {
  const Judged judged = judged_transfers(
      [](int32_t rank, driver::RankRecords* records) {
        if (rank == 1) records->operation(transfer("Send", 2, true));
        if (rank == 1) records->operation(transfer("Recv", 2, true));
        if (rank != 2) return;
        records->operation(transfer("Send", 1, false));
        for (const int32_t peer : {1, 3}) {
          driver::RankOperation receive = transfer("Recv", peer, false);
          receive.channels = 0;
          records->operation(receive);
        }
      },
      [](RunTables* run) { set_group_call(run, 99); });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, Ranks{3}) << judged.text();
}

TEST(Transport, AccusesAReceiverWhoseKernelNeverBeganThoughAnotherDid) {
  const Judged judged = judged_behind_missing([](RunTables* run) { set_group_call(run, 0); });
  const auto stuck =
      std::find_if(judged.findings.begin(), judged.findings.end(),
                   [](const Finding& one) { return one.kind == FindingKind::StuckOnGpu; });
  ASSERT_NE(stuck, judged.findings.end()) << all_text(judged);
  EXPECT_EQ(stuck->culprits, Ranks{2}) << judged.text();
}

// Ranks 1 and 3 send to rank 2, whose kernel for both does not begin.
TEST(Transport, AccusesAReceiverOnceWhoseKernelOfSeveralTransfersNeverBegan) {
  const Judged judged = judged_transfers(
      [](int32_t rank, driver::RankRecords* records) {
        if (rank == 1 || rank == 3) records->operation(transfer("Send", 2, false));
        for (const int32_t peer : {1, 3}) {
          driver::RankOperation receive = transfer("Recv", peer, false);
          receive.channels = 0;
          if (rank == 2) records->operation(receive);
        }
      },
      [](RunTables* run) { set_group_call(run, 99); });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckOnGpu) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, Ranks{2}) << judged.text();
}

// Ranks below `begin` are in the kernel of the last operation; `broadcast` of the ranks called a broadcast before that,
// of which NCCL tells the call alone, and perhaps `between` an operation that ended.
Judged judged_behind_broadcast(int32_t begin, int32_t broadcast, bool between = false) {
  return judged_transfers([=](int32_t rank, driver::RankRecords* records) {
    driver::RankOperation before = operation_at(kOperations, 0);
    before.func = "Broadcast";
    before.stream = 0x78;
    if (rank < broadcast) records->call_only(before);
    if (between) records->operation(operation_at(kOperations + 1, 0));
    const driver::RankOperation last = open_at(kOperations + 2);
    records->operation(rank < begin ? last : queued(last));
  });
}

TEST(Transport, AccusesNobodyWhereMostKernelsNeverBeganAndTheCallBeforeMayNotHaveEnded) {
  for (const int32_t begin : {0, 1}) {
    const Judged judged = judged_behind_broadcast(begin, 4);
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
    EXPECT_EQ(judged.findings[0].kind, FindingKind::Standstill) << judged.text();
    EXPECT_EQ(judged.findings[0].culprits, Ranks{}) << judged.text();
    EXPECT_NE(judged.text().find("Nothing tells whether Broadcast #0 on world ended, which was "
                                 "called before: they may wait for that."),
              std::string::npos)
        << judged.text();
  }
}

TEST(Transport, AccusesOneGpuWhateverWasCalledBeforeAndAllThatWereFreeToBegin) {
  EXPECT_EQ(judged_behind_broadcast(3, 4).findings.at(0).culprits, Ranks{3});
  const Judged free = judged_behind_broadcast(1, 0);
  EXPECT_EQ(free.findings.at(0).kind, FindingKind::StuckOnGpu) << free.text();
  EXPECT_EQ(free.findings[0].culprits, (Ranks{1, 2, 3})) << free.text();
  const Judged ended = judged_behind_broadcast(1, 4, true);
  EXPECT_EQ(ended.findings.at(0).culprits, (Ranks{1, 2, 3})) << ended.text();
}

TEST(Transport, AccusesTheSenderThatSeveralTransfersHaveInCommon) {
  const Judged judged = judged_transfers(
      [](int32_t rank, driver::RankRecords* records) {
        if (rank == 1) records->operation(transfer("Send", 2, false));
        if (rank == 1) records->operation(transfer("Send", 3, false));
        if (rank > 1) records->operation(transfer("Recv", 1, false));
      },
      [](RunTables* tables) {
        for (OperationRow& row : tables->operations) {
          if (row.rank == 1 && row.kind == OpKind::PointToPoint) row.group_id = 77;
        }
      });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1}) << judged.text();
}

// Ranks 1 and 2 send on and wait for what comes back, each in one group call, so that the kernels of their
// sends run on. Rank 3 sends nothing back.
TEST(Transport, AccusesNobodyForASendWhoseReceiveHasEnded) {
  const Judged judged = judged_transfers(
      [](int32_t rank, driver::RankRecords* records) {
        if (rank > 1) records->operation(transfer("Recv", rank - 1, true));
        if (rank == 0 || rank == 3) return;
        records->operation(transfer("Send", rank + 1, false));
        records->operation(transfer("Recv", rank + 1, false));
      },
      [](RunTables* tables) {
        for (OperationRow& row : tables->operations) {
          if (row.kind == OpKind::PointToPoint && row.peer > row.rank) row.group_id = 77;
        }
      });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{3}) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
