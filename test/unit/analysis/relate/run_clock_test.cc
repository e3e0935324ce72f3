// Times of a run on the model's clock, and what causality says of them.
#include "analysis/relate/run_clock.h"

#include <gtest/gtest.h>

#include "analysis/clock/align.h"
#include "clocksync/record/clock_model_json.h"
#include "test/unit/analysis/clock/run_dir.h"

namespace lockstep::analysis {
namespace {

// Two hosts, one rank each, whose raw clocks differ by 1 s; 100 all-reduces of 300 us.
void fill_two_hosts(RunTables* tables) {
  RunTables& run = *tables;
  const auto text = [&run](const char* t) { return run.strings.intern(t); };
  for (const char* name : {"a", "b"}) {
    ProcessRow process;
    process.host = text(name);
    run.processes.push_back(process);
  }
  for (uint32_t i = 0; i < 100; ++i) {
    MatchRow match;
    match.func = text("AllReduce");
    match.first_arrival = uint32_t(run.arrivals.size());
    match.arrivals = 2;
    for (uint32_t p = 0; p < 2; ++p) {
      OperationRow operation;
      operation.process = p;
      operation.rank = int32_t(p);
      operation.count = 10;
      operation.state = OpState::Done;
      operation.func = match.func;
      operation.api_start_ns = int64_t(i) * 50'000'000 + 7'000 * p + 1'000'000'000 * p;
      operation.last_progress_ns = operation.api_start_ns + 300'000;
      ArrivalRow arrival;
      arrival.operation = uint32_t(run.operations.size());
      run.arrivals.push_back(arrival);
      run.operations.push_back(operation);
    }
    run.matches.push_back(match);
  }
}

TEST(Causality, CountsWhatIsImpossibleBeforeAndAfterAlignment) {
  RunTables run;
  fill_two_hosts(&run);
  const auto observations = collect_happens_before(run, {"a", "b"});
  ASSERT_EQ(observations.size(), 200u);
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}, {10'000'000'000, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].knots = {{0, 1'000'000'000, 999'999'000, 1'000'001'000, false},
                          {10'000'000'000, 1'000'000'000, 999'999'000, 1'000'001'000, false}};

  Causality good = check_causality(model, observations);
  EXPECT_EQ(good.checked, 200u);
  EXPECT_EQ(good.violated_before, 100u);
  EXPECT_EQ(good.violated_after, 0u);
  EXPECT_EQ(good.beyond_interval, 0u);

  for (auto& knot : model.hosts[1].knots) knot.theta_ns += 400'000;  // outside its own interval
  const Causality bad = check_causality(model, observations);
  EXPECT_EQ(bad.violated_after, 100u);
  EXPECT_EQ(bad.worst_after_ns, 93'000);
  EXPECT_EQ(bad.beyond_interval, 0u);
}

TEST(RunClock, MovesEveryTimeOfAHostOntoTheReferencesClock) {
  RunTables run;
  fill_two_hosts(&run);
  for (ProcessRow& process : run.processes)
    process.first_ns = 1'000'000'000, process.last_ns = 6'000'000'000;
  const int64_t a_ns = run.operations[40].api_start_ns, b_ns = run.operations[41].api_start_ns;
  ASSERT_EQ(b_ns - a_ns, 1'000'007'000);
  run.operations[41].sends_seen_ns = b_ns + 1'000;
  run.operations[41].receives_seen_ns = b_ns + 2'000;
  ChannelEndRow& end = run.channel_ends.emplace_back();
  end.operation = 41;
  end.seen_ns = b_ns + 3'000;
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}, {10'000'000'000, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].knots = {{0, 1'000'000'000, 999'999'000, 1'000'001'500, false},
                          {10'000'000'000, 1'000'000'000, 999'999'000, 1'000'001'500, false}};
  const RunDir dir;
  ASSERT_TRUE(clocksync::save_clock_model(model, dir.path() + "/clock_model.json").ok());

  apply_clock_model(dir.path(), &run);

  EXPECT_EQ(run.operations[40].api_start_ns, a_ns);
  EXPECT_EQ(run.operations[41].api_start_ns, a_ns + 7'000);
  EXPECT_EQ(run.operations[41].sends_seen_ns, a_ns + 8'000);
  EXPECT_EQ(run.operations[41].receives_seen_ns, a_ns + 9'000);
  EXPECT_EQ(run.channel_ends[0].seen_ns, a_ns + 10'000);
  EXPECT_EQ(run.operations[41].finish_ns, kNoTime);
  EXPECT_EQ(run.processes[1].aligned, 1);
  EXPECT_EQ(run.processes[1].raw_offset_ns, -1'000'000'000);
  EXPECT_GE(run.processes[1].clock_error_ns, 1'500);
  EXPECT_LE(run.processes[1].clock_error_ns, 1'502);
  EXPECT_EQ(run.clock.size(), 4u);
}

TEST(RunClock, LeavesHostsAloneThatTheModelDoesNotConnect) {
  RunTables run;
  fill_two_hosts(&run);
  clocksync::ClockModel model;
  model.reference = "a";
  model.hosts.resize(2);
  model.hosts[0].host = "a";
  model.hosts[0].knots = {{0, 0, 0, 0, false}};
  model.hosts[1].host = "b";
  model.hosts[1].component = 1;
  const RunDir dir;
  ASSERT_TRUE(clocksync::save_clock_model(model, dir.path() + "/clock_model.json").ok());
  const int64_t b_ns = run.operations[41].api_start_ns;

  apply_clock_model(dir.path(), &run);

  EXPECT_EQ(run.operations[41].api_start_ns, b_ns);
  EXPECT_EQ(run.processes[0].aligned, 1);
  EXPECT_EQ(run.processes[1].aligned, 0);
}

}  // namespace
}  // namespace lockstep::analysis
