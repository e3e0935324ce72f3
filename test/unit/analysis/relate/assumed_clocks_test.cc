// Hosts that nothing connects are put on one clock by their calls, for who judges lateness.
#include "analysis/relate/assumed_clocks.h"

#include <gtest/gtest.h>

#include <functional>

namespace lockstep::analysis {
namespace {

constexpr int64_t kMs = 1'000'000, kClockAheadNs = 7'000 * kMs;
constexpr uint32_t kHosts = 3, kPerHost = 2;

// Three hosts with two ranks each, whose clocks are 0, 7 and 14 s ahead and which make one collective every 100 ms,
// each of them so much late.
RunTables calls(uint32_t collectives, const char* func,
                const std::function<int64_t(uint32_t host, uint32_t i)>& late_ns) {
  RunTables run;
  for (uint32_t p = 0; p < kHosts * kPerHost; ++p) {
    ProcessRow& process = run.processes.emplace_back();
    process.host = run.strings.intern(std::string(1, static_cast<char>('a' + p / kPerHost)));
    process.first_ns = kClockAheadNs * (p / kPerHost);
    process.last_ns = process.first_ns + 100 * kMs * collectives;
  }
  for (uint32_t i = 0; i < collectives; ++i) {
    MatchRow& match = run.matches.emplace_back();
    match.func = run.strings.intern(func);
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = match.expected = kHosts * kPerHost;
    for (uint32_t p = 0; p < match.arrivals; ++p) {
      OperationRow operation;
      operation.process = p;
      operation.rank = static_cast<int32_t>(p);
      operation.func = match.func;
      operation.state = OpState::Enqueued;
      operation.api_start_ns = run.processes[p].first_ns + 100 * kMs * i + late_ns(p / kPerHost, i);
      ArrivalRow& arrival = run.arrivals.emplace_back();
      arrival.operation = static_cast<uint32_t>(run.operations.size());
      arrival.process = p;
      arrival.arrival_ns = operation.api_start_ns;
      run.operations.push_back(operation);
    }
  }
  return run;
}

// By how much a host comes after the first one, in milliseconds.
int64_t after_first_ms(const RunTables& run, uint32_t host, uint32_t i) {
  const ArrivalRow* arrivals = run.arrivals.data() + run.matches[i].first_arrival;
  const int64_t after_ns = arrivals[host * kPerHost].arrival_ns - arrivals[0].arrival_ns;
  return (after_ns + (after_ns < 0 ? -kMs : kMs) / 2) / kMs;
}

TEST(AssumedClocks, AHostIsLateWhereItIsLaterThanItMostlyIs) {
  const RunTables run = calls(60, "AllReduce", [](uint32_t host, uint32_t i) {
    return host == 1 && i % 3 == 0 ? 20 * kMs : 0;
  });
  const auto moved = on_assumed_clocks(run);
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(moved->matches[3].comparable, 1);
  EXPECT_EQ(after_first_ms(*moved, 1, 3), 20);
  EXPECT_EQ(after_first_ms(*moved, 1, 4), 0);
  EXPECT_EQ(after_first_ms(*moved, 2, 3), 0);
  EXPECT_EQ(moved->arrivals[moved->matches[3].first_arrival].wait_ns / kMs, 20);
  EXPECT_EQ(after_first_ms(run, 1, 4), 7'000) << "the run itself stays as it is";
}

TEST(AssumedClocks, AHostThatIsAlwaysLateSeemsOnTime) {
  const auto moved = on_assumed_clocks(
      calls(60, "AllReduce", [](uint32_t host, uint32_t) { return host == 1 ? 20 * kMs : 0; }));
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(after_first_ms(*moved, 1, 30), 0);
}

TEST(AssumedClocks, AClockMayDrift) {
  // 50 ppm of 10 minutes are 30 ms.
  const auto moved = on_assumed_clocks(calls(6'000, "AllGather", [](uint32_t host, uint32_t i) {
    return host == 2 ? 5'000 * int64_t{i} : 0;
  }));
  ASSERT_NE(moved, nullptr);
  for (const uint32_t i : {0u, 3'000u, 5'999u}) EXPECT_EQ(after_first_ms(*moved, 2, i), 0) << i;
}

TEST(AssumedClocks, LatenessThatBeginsIsNoDrift) {
  const auto moved = on_assumed_clocks(calls(60, "AllReduce", [](uint32_t host, uint32_t i) {
    return host == 1 && i >= 35 ? 20 * kMs : 0;
  }));
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(after_first_ms(*moved, 1, 10), 0);
  EXPECT_EQ(after_first_ms(*moved, 1, 50), 20);
}

TEST(AssumedClocks, AreNotAssumedWhereMoreThanCallsIsKnown) {
  const auto nobody = [](uint32_t, uint32_t) { return int64_t{0}; };
  RunTables ended = calls(60, "AllReduce", nobody);
  ended.operations[5].finish_ns = ended.operations[5].api_start_ns + kMs;
  EXPECT_EQ(on_assumed_clocks(ended), nullptr);
  RunTables aligned = calls(60, "AllReduce", nobody);
  aligned.aligned = true;
  EXPECT_EQ(on_assumed_clocks(aligned), nullptr);
  RunTables in_part = calls(60, "AllReduce", nobody);
  in_part.processes[2].raw_offset_ns = -kClockAheadNs;
  EXPECT_EQ(on_assumed_clocks(in_part), nullptr);
}

TEST(AssumedClocks, AreNotAssumedOfAFewCollectivesNorOfOnesWithARoot) {
  const auto nobody = [](uint32_t, uint32_t) { return int64_t{0}; };
  EXPECT_EQ(on_assumed_clocks(calls(11, "AllReduce", nobody)), nullptr);
  EXPECT_EQ(on_assumed_clocks(calls(60, "Broadcast", nobody)), nullptr);
}

}  // namespace
}  // namespace lockstep::analysis
