#include "analysis/logs/log_time.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// 2026-11-22 00:33:15 UTC, as `date -u -d @1795307595` says.
constexpr int64_t kNearNs = 1'795'307'595'000'000'000;

// Seconds after kNearNs; without a zone: UTC.
double seconds(std::string_view line, int64_t zone_s = 0) {
  const auto stamp = find_log_stamp(line);
  if (!stamp) return -1e9;
  return static_cast<double>(unix_ns(*stamp, zone_s, kNearNs) - kNearNs) / 1e9;
}

TEST(LogTime, IsFoundInTheFormsThatProgramsWrite) {
  EXPECT_DOUBLE_EQ(seconds("2026-11-22T00:33:16.250Z srun: error: node1"), 1.25);
  EXPECT_DOUBLE_EQ(seconds("[2026-11-22 00:33:16,750] [INFO] [engine.py:12] step 3"), 1.75);
  EXPECT_DOUBLE_EQ(
      seconds("slurmstepd: error: *** STEP 41.0 ON n1 CANCELLED AT 2026-11-22T00:33:17 ***"), 2);
  EXPECT_DOUBLE_EQ(seconds("[rank2]:[E1122 00:33:16.500000000 ProcessGroupNCCL.cpp:632] timeout"),
                   1.5);
  EXPECT_DOUBLE_EQ(seconds("W1122 00:33:14.000001 4711 file.cc:12] slow"), -0.999999);
  EXPECT_DOUBLE_EQ(seconds("Nov 22 00:33:17 n1 kernel: NVRM: Xid (PCI:0000:01:00): 79"), 2);
  EXPECT_DOUBLE_EQ(seconds("Nov  2 00:33:15 n1 sshd: closed"), -20 * 86400);
  EXPECT_DOUBLE_EQ(seconds("[Sun Nov 22 00:33:18 2026] mce: error"), 3);
  EXPECT_DOUBLE_EQ(seconds("::1 - - [22/Nov/2026:00:33:16 +0000] \"GET /metrics\""), 1);
  EXPECT_DOUBLE_EQ(seconds("1795307595.5 loss 1.0"), 0.5);
  EXPECT_DOUBLE_EQ(seconds("1795307596500 loss 1.0"), 1.5);
  EXPECT_DOUBLE_EQ(seconds("2026/11/22 00:33:16 n1 up"), 1);
}

TEST(LogTime, TakesTheZoneOfTheLineElseTheGivenOne) {
  EXPECT_DOUBLE_EQ(seconds("2026-11-22T02:33:16+02:00 x", 3600), 1);
  EXPECT_DOUBLE_EQ(seconds("2026-11-21T21:03:16-0330 x", 3600), 1);
  EXPECT_DOUBLE_EQ(seconds("2026-11-22 01:33:16 x", 3600), 1);
  EXPECT_DOUBLE_EQ(seconds("I1122 01:33:16.0 1 a.cc:1] x", 3600), 1);
}

// A run that began on New Year's Eve.
TEST(LogTime, TakesTheNearestYearWhereTheLineHasNone) {
  const int64_t eve_ns = kNearNs + int64_t{39} * 86400 * kSecond;  // 2026-12-31 00:33:15
  const auto stamp = find_log_stamp("I0101 00:33:15.0 1 a.cc:1] x");
  ASSERT_TRUE(stamp);
  EXPECT_EQ(unix_ns(*stamp, 0, eve_ns) - eve_ns, 86400 * kSecond);
}

TEST(LogTime, IsNoneInOtherTexts) {
  for (const char* line : {"", "no time here", "12:30", "2026-13-01 00:00:00 x",
                           "2026-11-22 25:00:00", "version 1795307595", "17953075951 is too long",
                           "2026-11-22", "E1122 no", "ABCDE1122 00:33:16.5"})
    EXPECT_FALSE(find_log_stamp(line)) << line;
}

TEST(LogLevel, IsWhatTheLineSays) {
  EXPECT_EQ(level_of("[rank2]:[E1122 00:33:16.5 a.cpp:6] timeout"), LogLevel::Error);
  EXPECT_EQ(level_of("W1122 00:33:16.5 1 a.cc:6] slow"), LogLevel::Warning);
  EXPECT_EQ(level_of("I1122 00:33:16.5 1 a.cc:6] up"), LogLevel::Info);
  EXPECT_EQ(level_of("2026-11-22 00:33:16,1 WARNING lr is 0"), LogLevel::Warning);
  EXPECT_EQ(level_of("slurmstepd: error: *** STEP"), LogLevel::Error);
  EXPECT_EQ(level_of("node1:1:2 [0] NCCL INFO Channel 00"), LogLevel::Info);
  EXPECT_EQ(level_of("terrors of MyError1"), LogLevel::Unknown);
}

TEST(LogRank, IsTheOneThatPyTorchPutsInFront) {
  EXPECT_EQ(rank_in_line("[rank12]: Traceback"), 12);
  EXPECT_EQ(rank_in_line("[Rank 12] no"), -1);
  EXPECT_EQ(rank_in_line("[rankx]:"), -1);
}

}  // namespace
}  // namespace lockstep::analysis
