// What findings rest on, as people read it, and the statements that find its rows.
#include "analysis/say/evidence.h"

#include "analysis/say/evidence_query.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

class EvidenceSaid : public testing::Test {
 protected:
  std::string line(const Evidence& one) {
    Finding finding;
    finding.communicator = 0;
    finding.evidence = {one};
    query_ = evidence_queries(run_, finding).front();
    return evidence_lines(run_, finding).front();
  }
  SaidRun run_;
  std::string query_;
};

TEST_F(EvidenceSaid, HowMuchLongerAKindOfOperationTakesThanExpected) {
  SlowerKind kind;
  kind.row.communicator = 1;
  kind.row.func = run_.strings.intern("AllReduce");
  kind.row.algo = run_.strings.intern("RING");
  kind.row.size_bytes = 32u << 20;
  kind.row.operations = 95;
  kind.row.slow = 15;
  kind.row.expected_ns = 2'000'000;
  kind.match = 7;
  kind.took_ns = 6'000'000;
  EXPECT_EQ(line(KindSlower{kind}),
            "expected_times: AllReduce of 32 MiB on tp, RING: the slow ones, 15 of 95 operations, "
            "took 6.00 ms at their median where 2.00 ms is expected, 3.0 times as long");
  EXPECT_EQ(query_,
            "SELECT * FROM expected_times WHERE (communicator, func, size_bytes) = (SELECT "
            "(communicator, func, size_bytes) FROM matches WHERE match = 7)");
}

TEST_F(EvidenceSaid, HowManyThreadsWantedToRunOnAHost) {
  EXPECT_EQ(line(HostCrowded{2, 6.42, 4, 30}),
            "host_load: 6.4 threads could run on the 4 processors of host node8, the mean of 30 "
            "samples");
  EXPECT_EQ(query_,
            "SELECT * FROM host_load WHERE host = (SELECT host FROM processes WHERE process = 2) "
            "AND cgroup IS NULL ORDER BY at_ns");
}

TEST_F(EvidenceSaid, ThatAQuotaWasUsedUpAndItsNameIsInNoStatement) {
  EXPECT_EQ(line(QuotaUsedUp{0, "/it's", 30'000'000, 50'000'000}),
            "host_load: the processor quota of /it's of host node7 was used up in 30.0 ms of the "
            "50.0 ms that ranks were late and sampled");
  EXPECT_EQ(query_,
            "SELECT * FROM host_load WHERE host = (SELECT host FROM processes WHERE process = 0) "
            "AND throttled_ns > 0 ORDER BY at_ns");
}

TEST_F(EvidenceSaid, HowLongRanksWaitedForAProcessor) {
  EXPECT_EQ(line(ProcessorWaited{{0, 1}, {0, 1}, 40'000'000, 50'000'000}),
            "thread_load: ranks 0 and 1 waited for a processor in 40.0 ms of the 50.0 ms that "
            "they were late and sampled");
  EXPECT_EQ(query_,
            "SELECT * FROM thread_load WHERE process IN (0, 1) AND wait_ns > 0 ORDER BY wait_ns "
            "DESC LIMIT 100");
}

TEST_F(EvidenceSaid, WhereNoProcessIsKnownThereIsNoRow) {
  line(HostCrowded{kNoRow, 6.4, 4, 30});
  EXPECT_EQ(query_, "");
  line(ProcessorWaited{{}, {}, 1, 2});
  EXPECT_EQ(query_, "");
}

TEST(EvidenceLines, NameTheTableAndNeverWriteAnUnknownRankAsANumber) {
  Finding finding;
  finding.communicator = 0;
  DeathSeen death;
  death.process = 0;
  OtherCall call;
  call.operation = call.expected = 0;
  ValuesPassed passed;
  passed.ranks = {-1};
  passed.operation = 0;
  OpenTransport transport;
  transport.row = 0;
  LastProgress progress;
  progress.operation = 0;
  LateArrival late;
  late.late.match = late.late.arrival = 0;
  SilenceSeen silence;
  HaltSeen halt;
  silence.process = halt.process = 0;
  LateElsewhere elsewhere;
  elsewhere.rank.communicator = 1;
  SlowOperation slow;
  slow.operation = 0;
  TransfersSeen transfers;
  transfers.ranks = {-1, 0};
  transfers.processes = {0, 1};
  TransferSeen transfer;
  transfers.match = transfer.match = 0;
  HostCrowded crowded;
  QuotaUsedUp quota;
  crowded.process = quota.process = 0;
  SlowerKind slower;
  slower.row.communicator = 1;
  slower.row.expected_ns = 1;
  SentAgain sent_again;
  SentAgainWhile sent_again_while;
  sent_again.process = sent_again_while.process = 0;
  RasSeen ras;
  ras.process = 0;
  finding.evidence = {death,
                      silence,
                      halt,
                      KilledWhileWaiting{{-1}},
                      call,
                      passed,
                      UsualCall{{-1}},
                      NeverCalled{},
                      EarlyFinalize{},
                      transport,
                      progress,
                      late,
                      elsewhere,
                      SlowColumn{},
                      slow,
                      transfers,
                      transfer,
                      KindSlower{slower},
                      crowded,
                      quota,
                      ProcessorWaited{{-1}, {0}, 1, 2},
                      sent_again,
                      sent_again_while,
                      ras};
  ASSERT_EQ(finding.evidence.size(), std::variant_size_v<Evidence>);
  for (const std::string& line : evidence_lines(SaidRun(), finding)) {
    EXPECT_EQ(line.find("-1"), std::string::npos) << line;
    EXPECT_NE(line.find(": "), std::string::npos) << line;
  }
  EXPECT_EQ(evidence_queries(SaidRun(), finding).size(), finding.evidence.size());
}

TEST(EvidenceLines, NameBothEndsOfASlowWayAndWhatIsUsualThere) {
  SaidRun run;
  run.matches[0].communicator = 0;
  run.matches[0].func = run.strings.intern("AllReduce");
  run.matches[0].size_bytes = 1 << 20;
  TransfersSeen seen;
  seen.side = SlowSide::Link;
  seen.ranks = {1, 2};
  seen.processes = {1, 2};
  seen.match = 0;
  seen.operations = 47;
  seen.own_ns = 6'120'000;
  seen.usual_ns = 612'000;
  Finding finding;
  finding.communicator = 0;
  finding.evidence = {seen, TransferSeen{0, 7'160'000, 612'000}};
  EXPECT_EQ(
      evidence_lines(run, finding),
      (std::vector<std::string>{
          "matches: transfers from rank 1 on node7 to rank 2 on node8 take 6.12 ms per operation "
          "where 612 us is usual (AllReduce of 1 MiB, 47 operations)",
          "matches: AllGather #9, 7.16 ms from its last arrival to its end where 612 us is usual; "
          "row 0, 4 ranks"}));
}

TEST(EvidenceLines, SayWhatARankWasInWhileItsHostSentAgain) {
  SentAgainWhile seen;
  seen.process = 2;
  seen.from_ns = 0;
  seen.to_ns = 1'000'000'000;
  seen.again = 8317;
  seen.inside_ns = 365'000'000;
  seen.operation = 1;
  Finding finding;
  finding.communicator = 0;
  finding.evidence = {seen};
  EXPECT_EQ(evidence_lines(SaidRun(), finding).front(),
            "nic_counters: node8 sent 8317 TCP segments again within 1.00 s; for 365 ms of that "
            "rank 0 was in AllGather #9 on tp");
}

}  // namespace
}  // namespace lockstep::analysis
