// When a run began by the clock on the wall, also where a damaged process does not tell.
#include "analysis/pyramid/run_time.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

TEST(RunTime, IsDatedByAProcessThatKnowsTheTime) {
  RunTables run;
  run.aligned = true;
  ProcessRow process;
  process.first_ns = 100;
  run.processes.push_back(process);
  EXPECT_EQ(RunTime(run).origin_unix_ns(), 0);
  process.first_ns = 200;
  process.real_offset_ns = 5000;
  run.processes.push_back(process);
  EXPECT_EQ(RunTime(run).origin_unix_ns(), 5100);
}

}  // namespace
}  // namespace lockstep::analysis
