#include "cli/capture/trigger.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

// One process, whose recording ends at 900 ms, and one operation.
void fill(const char* func, int64_t called_ns, int64_t finish_ns, analysis::OpState state,
          analysis::RunTables* to) {
  analysis::RunTables& run = *to;
  analysis::ProcessRow process;
  process.last_ns = 900'000'000;
  run.processes.push_back(process);
  analysis::OperationRow row;
  row.process = 0;
  row.rank = 3;
  row.ordinal = 12;
  row.func = run.strings.intern(func);
  row.api_start_ns = called_ns;
  row.finish_ns = finish_ns;
  row.state = state;
  run.operations.push_back(row);
}

TEST(Trigger, IsReadAsItIsWritten) {
  const Trigger trigger = parse_trigger("operation AllReduce > 50 ms").value();

  EXPECT_EQ(trigger.func, "AllReduce");
  EXPECT_EQ(trigger.longer_ns, 50'000'000);
  EXPECT_EQ(parse_trigger("operation any > 2s").value().func, "");
}

TEST(Trigger, WhatIsNoConditionIsRefused) {
  for (const char* text : {"", "operation", "operation AllReduce", "operation AllReduce > soon",
                           "operation AllReduce < 5 ms", "step > 5 s", "operation any > 0"})
    EXPECT_FALSE(parse_trigger(text).ok()) << text;
}

TEST(Trigger, FiresForAnOperationThatTookLongerAndEndedSince) {
  const Trigger trigger = {"AllReduce", 50'000'000};
  analysis::RunTables run;
  fill("AllReduce", 100'000'000, 160'000'000, analysis::OpState::Done, &run);

  EXPECT_EQ(fired(trigger, run, 150'000'000), "AllReduce #12 of rank 3 took 60.0 ms");
  EXPECT_FALSE(fired(trigger, run, 160'000'000));
  EXPECT_FALSE(fired({"AllGather", 50'000'000}, run, 150'000'000));
  EXPECT_FALSE(fired({"", 60'000'000}, run, 150'000'000));
}

TEST(Trigger, FiresForAnOperationThatHasNotEnded) {
  analysis::RunTables run;
  fill("AllReduce", 100'000'000, analysis::kNoTime, analysis::OpState::InFlight, &run);

  EXPECT_EQ(fired({"", 500'000'000}, run, 850'000'000),
            "AllReduce #12 of rank 3 has not ended for 800 ms");
}

}  // namespace
}  // namespace lockstep::cli
