// What share of its hosts' ways to the network a transfer has, beside what others move at the same time.
#include "analysis/transfers/host_traffic.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// Two ranks on each of three hosts. Every transfer moves 1,000 bytes.
struct BusyHosts {
  BusyHosts() {
    for (uint32_t rank = 0; rank < 6; ++rank) run.processes.emplace_back().host = host(rank);
  }
  static Text host(uint32_t rank) { return 1 + rank / 2; }
  uint32_t begin(int64_t begin_ns, int64_t end_ns) {
    MatchRow& match = run.matches.emplace_back();
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.comparable = 1;
    match.size_bytes = 1'000;
    match.finish_ns = end_ns;
    own.last_start_ns.push_back(begin_ns);
    return static_cast<uint32_t>(run.matches.size() - 1);
  }
  void arrive(uint32_t rank, const char* func, OpKind kind) {
    run.arrivals.emplace_back().operation = static_cast<uint32_t>(run.operations.size());
    OperationRow& row = run.operations.emplace_back();
    row.process = rank;
    row.kind = kind;
    row.func = run.strings.intern(func);
    ++run.matches.back().arrivals;
  }
  uint32_t send(uint32_t from, uint32_t to, int64_t begin_ns, int64_t end_ns) {
    const uint32_t match = begin(begin_ns, end_ns);
    arrive(to, "Recv", OpKind::PointToPoint);
    arrive(from, "Send", OpKind::PointToPoint);
    return match;
  }
  double share(uint32_t match, uint32_t from, uint32_t to) const {
    return HostTraffic(run, own).share_of(match, host(from), host(to), own.last_start_ns[match],
                                          run.matches[match].finish_ns);
  }
  RunTables run;
  OwnSegments own;
};

TEST(HostTraffic, LeavesAllToTheOnlyTransfer) {
  BusyHosts job;
  const uint32_t alone = job.send(0, 2, 0, 100);
  job.send(0, 2, 100, 200);
  job.send(4, 0, 0, 100);
  job.send(0, 1, 0, 100);
  EXPECT_DOUBLE_EQ(job.share(alone, 0, 2), 1) << "later, the other way, and inside the host";
}

TEST(HostTraffic, SharesTheSendersWayOrTheReceiversWhicheverIsFuller) {
  BusyHosts job;
  const uint32_t one = job.send(0, 2, 0, 100);
  job.send(1, 4, 0, 100);
  EXPECT_DOUBLE_EQ(job.share(one, 0, 2), 0.5) << "1,000 of 2,000 bytes that leave the first host";
  job.send(4, 3, 0, 100);
  job.send(5, 3, 0, 100);
  EXPECT_DOUBLE_EQ(job.share(one, 0, 2), 1.0 / 3) << "of 3,000 that come into the second";
}

TEST(HostTraffic, CountsOfOthersWhatTheyMoveMeanwhile) {
  BusyHosts job;
  const uint32_t one = job.send(0, 2, 100, 200);
  job.send(1, 3, 150, 350);
  EXPECT_DOUBLE_EQ(job.share(one, 0, 2), 0.8) << "a quarter of 1,000 bytes";
}

TEST(HostTraffic, IsOfAllHostsOfACollective) {
  BusyHosts job;
  const uint32_t one = job.send(0, 2, 0, 100);
  job.begin(0, 100);
  for (uint32_t rank = 0; rank < 6; ++rank) job.arrive(rank, "AllReduce", OpKind::Collective);
  EXPECT_DOUBLE_EQ(job.share(one, 0, 2), 0.5);
}

TEST(HostTraffic, IsNotKnownOfWhatTakesNoTime) {
  BusyHosts job;
  const uint32_t one = job.send(0, 2, 100, 100);
  job.send(1, 3, 0, 200);
  EXPECT_DOUBLE_EQ(job.share(one, 0, 2), 1);
}

}  // namespace
}  // namespace lockstep::analysis
