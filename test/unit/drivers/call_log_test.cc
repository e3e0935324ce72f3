// The call log reader: what it understands, and how it refuses what it does not.
#include "test/drivers/common/call_log.h"

#include <gtest/gtest.h>

namespace lockstep::driver {
namespace {

constexpr char kHeader[] =
    "=== recorded calls, rank 3, pid 303, 9 calls in all, the first 9 logged, time zero at "
    "CLOCK_MONOTONIC 5026 ns\n";
constexpr char kInit[] =
    "  0  19.068us tid=303(exe            ) init     ?            #0      parent=-                "
    "ctx=1 name=world "
    "hash=731800307e49d876 nodes=2 ranks=4 rank=3\n";

Result<CallLog> parse(const std::string& lines) {
  return parse_call_log(kHeader + (kInit + lines), "x.txt");
}

std::string error_of(const std::string& lines) {
  const Result<CallLog> log = parse(lines);
  return log.ok() ? "accepted" : log.message();
}

TEST(CallLog, TakesRankPidAndTimeZeroFromTheHeader) {
  const Result<CallLog> log = parse("");
  ASSERT_TRUE(log.ok()) << log.message();
  EXPECT_EQ(log.value().rank, 3);
  EXPECT_EQ(log.value().pid, 303);
  EXPECT_EQ(log.value().zero_mono_ns, 5026);
}

TEST(CallLog, ReadsACommunicatorsFacts) {
  const Result<CallLog> log = parse("");
  ASSERT_TRUE(log.ok()) << log.message();
  const CommFacts& comm = log.value().comms.at(0);
  EXPECT_EQ(comm.name, "world");
  EXPECT_EQ(comm.id, 0x731800307e49d876u);
  EXPECT_EQ(comm.ranks, 4);
}

TEST(CallLog, ReadsACommunicatorWithoutANameAsTheTablesBeforeV4RecordIt) {
  const Result<CallLog> log =
      parse_call_log(std::string(kHeader) +
                         "  0  19.068us tid=303(exe            ) init     ?            #0      "
                         "parent=-            "
                         "    ctx=1 name=(null) hash=0 nodes=0 ranks=0 rank=0\n",
                     "x.txt");
  ASSERT_TRUE(log.ok()) << log.message();
  EXPECT_EQ(log.value().comms.at(0).name, "");
}

TEST(CallLog, ReadsEveryArgumentOfACollective) {
  const Result<CallLog> log = parse(
      "  1  84.5us tid=303(exe            ) start    Coll         #1      parent=-                "
      "ctx=1 AllReduce "
      "seq=7 count=16384 root=2 ncclFloat32 ch=2 w=9 RING/SIMPLE pgroup=0\n");
  ASSERT_TRUE(log.ok()) << log.message();
  const abi::v7::Coll& coll = log.value().events.at(0).coll;
  EXPECT_STREQ(coll.func, "AllReduce");
  EXPECT_STREQ(coll.datatype, "ncclFloat32");
  EXPECT_STREQ(coll.algo, "RING");
  EXPECT_STREQ(coll.proto, "SIMPLE");
  EXPECT_EQ(coll.seq_number, 7u);
  EXPECT_EQ(coll.count, 16384u);
  EXPECT_EQ(coll.root, 2);
  EXPECT_EQ(coll.channels, 2);
  EXPECT_EQ(coll.warps, 9);
  EXPECT_EQ(log.value().lines.at(1).time_ns, 84500);
}

TEST(CallLog, KeepsThreadsWithSpacesInTheirNames) {
  const Result<CallLog> log = parse(
      "  1  1us tid=310(NCCL Progress 1) start    ProxyCtrl    #1      parent=-                "
      "ctx=1 \n"
      "  2  2us tid=310(NCCL Progress 1) record   ProxyCtrl    #1      parent=-                "
      "ctx=0 CtrlAppendEnd "
      "appended=6\n");
  ASSERT_TRUE(log.ok()) << log.message();
  EXPECT_EQ(log.value().threads.at(1).name, "NCCL Progress 1");
  EXPECT_EQ(log.value().lines.at(2).state, abi::kProxyCtrlAppendEnd);
  EXPECT_EQ(log.value().lines.at(2).args.appended_proxy_ops, 6);
}

TEST(CallLog, StopsReadingAtTheRecordersSummary) {
  const Result<CallLog> log = parse("--- totals\nnot a call\n");
  ASSERT_TRUE(log.ok()) << log.message();
  EXPECT_EQ(log.value().lines.size(), 1u);
}

TEST(CallLog, KeepsItsStringsWhenMoved) {
  std::vector<CallLog> logs;
  for (int i = 0; i < 5; ++i) {
    logs.push_back(std::move(parse("  1  1us tid=303(exe) start    CollApi      #1      parent=- "
                                   "ctx=1 AllGather count=1 ncclInt8 root=0\n")
                                 .value()));
  }
  EXPECT_STREQ(logs[0].events.at(0).coll_api.func, "AllGather");
}

TEST(CallLog, NamesFileAndLineOfWhatItCannotUse) {
  EXPECT_EQ(error_of("nonsense\n"), "x.txt:3: expected a call's index first");
  EXPECT_EQ(error_of("  1  1us tid=3(e) start    Coll         #1      parent=- ctx=1 sequence=4\n"),
            "x.txt:3: a start of Coll has no argument like 'sequence=4'");
  EXPECT_EQ(error_of("  1  1us tid=3(e) begin    Coll         #1      parent=- ctx=1\n"),
            "x.txt:3: unknown call 'begin'");
  EXPECT_EQ(error_of("  1  1us tid=3(e) start    Coll         #1      parent=- ctx=1 ch=300\n"),
            "x.txt:3: a start of Coll has no argument like 'ch=300'");
}

TEST(CallLog, RefusesNumbersThatWouldLeadAReplayAstray) {
  EXPECT_EQ(error_of("  1  1us tid=3(e) stop     Coll         #1      parent=- ctx=0\n"),
            "x.txt:3: event #1 is used before it started");
  EXPECT_EQ(error_of("  1  1us tid=3(e) start    Coll         #4000000000      parent=- ctx=1\n"),
            "x.txt:3: event number #4000000000 is out of range");
  EXPECT_EQ(error_of("  1  1us tid=3(e) start    Coll         #1      parent=- ctx=2\n"),
            "x.txt:3: context 2 had no init");
}

TEST(CallLog, RefusesAFileThatIsNoLog) {
  EXPECT_FALSE(parse_call_log("", "empty").ok());
  EXPECT_FALSE(parse_call_log("hello\n", "hello").ok());
  EXPECT_FALSE(parse_call_log(std::string(100000, 'x'), "long").ok());
}

}  // namespace
}  // namespace lockstep::driver
