#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <map>
#include <string>

#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

rapidjson::Document export_chrome_of(const RunTables& run) {
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "trace.json";
  ExportSummary summary;
  const Status status = export_chrome(sample_input(run), options, &summary);
  EXPECT_TRUE(status.ok()) << status.message();
  rapidjson::Document json;
  json.Parse(read_text(options.output).c_str());
  EXPECT_FALSE(json.HasParseError());
  return json;
}

rapidjson::Document export_sample() { return export_chrome_of(*sample_run()); }

TEST(Chrome, WritesEveryOperationOnceWithItsTimesExactly) {
  const rapidjson::Document json = export_sample();
  std::map<std::string, unsigned> names, phases;
  for (const auto& event : json["traceEvents"].GetArray()) {
    ++phases[event["ph"].GetString()];
    if (event.HasMember("cat") && event["cat"] == "operation") ++names[event["name"].GetString()];
    if (event["ph"] == "X" && event["name"] == "AllReduce" && event["pid"] == 4242 &&
        event["args"]["ordinal"] == 1) {
      EXPECT_DOUBLE_EQ(event["ts"].GetDouble(), 101.0);  // enqueued 1 us after the run's second 100
      EXPECT_DOUBLE_EQ(event["dur"].GetDouble(), 49.0);
      EXPECT_EQ(event["args"]["wait_ns"], 700);
    }
  }
  EXPECT_EQ(names["AllReduce"], 6u);
  EXPECT_EQ(names["Send"], 1u);
  EXPECT_EQ(phases["X"], kSampleOperations - 1 + kSampleDetailSlices);
  EXPECT_EQ(phases["B"], 1u) << "the operation in flight";
  EXPECT_EQ(phases["s"], 3u);
  EXPECT_EQ(phases["f"], 3u);
  EXPECT_STREQ(json["otherData"]["origin_ns"].GetString(), "1000000");
}

TEST(Chrome, BindsTheEventsOfAFlowByNameCategoryAndId) {
  const auto run = sample_run();
  run->operations[3].func = run->strings.intern("Recv");  // as the partner of a Send is called
  std::map<std::string, std::string> flows;
  for (const auto& event : export_chrome_of(*run)["traceEvents"].GetArray()) {
    const std::string phase = event["ph"].GetString();
    if (phase != "s" && phase != "f") continue;
    flows[std::string(event["name"].GetString()) + " " + event["cat"].GetString() + " " +
          std::to_string(event["id"].GetInt())] += phase;
  }
  EXPECT_EQ(flows, (std::map<std::string, std::string>{
                       {"match match 1", "sf"}, {"match match 2", "sf"}, {"match match 3", "sf"}}));
}

// Of the counter with this name: its points, as time and value.
std::string points_of(const RunTables& run, const std::string& name, const char* unit) {
  std::string told;
  for (const auto& event : export_chrome_of(run)["traceEvents"].GetArray()) {
    if (event["ph"] != "C" || event["name"].GetString() != name) continue;
    told += std::to_string(event["ts"].GetDouble()) + " " +
            std::to_string(event["args"][unit].GetInt64()) + "; ";
  }
  return told;
}

TEST(Chrome, DrawsTheClockErrorWithinTheRun) {
  const auto run = sample_run();
  const Text host = run->processes[1].host;
  run->clock = {{host, 0, 250, 10, 0},  // when the host booted
                {host, 900000, 250, 20, 0},
                {host, 1500000, 250, 30, 0},
                {host, 5000000, 250, 40, 0},
                {host, 6000000, 250, 50, 0}};
  EXPECT_EQ(points_of(*run, "clock error " + run->text(host), "ns"),
            "0.000000 20; 500.250000 30; 1000.000000 40; ");
}

TEST(Chrome, DrawsHowFarEachClockWentAndHowFastWithTheirBands) {
  const auto run = sample_run();
  const Text host = run->processes[1].host;
  const std::string name = run->text(host);
  // The first point is before the run; 600 us later 300 ns are gone, 400 us later 100 ns are back.
  run->clock = {
      {host, 899000, 1000, 20, 0}, {host, 1498700, 1300, 10, 0}, {host, 1898800, 1200, 30, 0}};
  EXPECT_EQ(points_of(*run, "clock offset " + name, "ns"),
            "0.000000 0; 500.000000 300; 900.000000 200; ");
  EXPECT_EQ(points_of(*run, "clock offset, least " + name, "ns"),
            "0.000000 -20; 500.000000 290; 900.000000 170; ");
  EXPECT_EQ(points_of(*run, "clock offset, most " + name, "ns"),
            "0.000000 20; 500.000000 310; 900.000000 230; ");
  EXPECT_EQ(points_of(*run, "clock drift " + name, "ppb"), "0.000000 500000; 500.000000 -250000; ");
  EXPECT_EQ(points_of(*run, "clock drift, least " + name, "ppb"),
            "0.000000 450000; 500.000000 -350000; ");
  EXPECT_EQ(points_of(*run, "clock drift, most " + name, "ppb"),
            "0.000000 550000; 500.000000 -150000; ");
}

TEST(Chrome, CountsWhatIsInFlightAndHowFastItMoves) {
  const auto run = sample_run();
  run->operations.erase(run->operations.begin() + 3, run->operations.end());  // rank 0 alone
  run->operations[1].enqueue_ns = run->operations[0].enqueue_ns + 10000;      // two at once
  run->processes[0].heard_ns = 1300000;
  run->arrivals.resize(1);
  run->arrivals[0].finish_ns = 1050000;
  run->arrivals[0].transfer_ns = 20000;
  std::map<std::string, std::string> told;
  for (const auto& event : export_chrome_of(*run)["traceEvents"].GetArray()) {
    if (event["ph"] != "C" || event["pid"] != 4242) continue;
    for (const auto& value : event["args"].GetObject()) {
      told[std::string(event["name"].GetString()) + " in " + value.name.GetString()] +=
          std::to_string(static_cast<int>(event["ts"].GetDouble())) + " " +
          std::to_string(value.value.GetInt()) + "; ";
    }
  }
  EXPECT_EQ(told["operations in flight in operations"],
            "1 1; 11 2; 50 1; 150 0; 201 1; 250 0; 300 0; ");
  EXPECT_EQ(told["bus bandwidth in MB/s"], "30 1500; 50 0; ");
}

TEST(Chrome, DrawsAnAbortedOperationAsLongAsItHung) {
  const auto run = sample_run();
  for (OperationRow& row : run->operations) {
    if (row.process == 1) row.state = OpState::Aborted;
  }
  run->members[1].finalize_ns = 1900000;
  unsigned hung = 0;
  for (const auto& event : export_chrome_of(*run)["traceEvents"].GetArray()) {
    if (event["ph"] != "X" || event["cat"] != "operation" || event["pid"] != 4242 + 4194304)
      continue;
    EXPECT_DOUBLE_EQ(event["ts"].GetDouble() + event["dur"].GetDouble(), 900) << "its finalize";
    ++hung;
  }
  EXPECT_EQ(hung, 4u);

  run->members.clear();  // a process that was killed
  run->processes[1].heard_ns = 2900000;
  for (const auto& event : export_chrome_of(*run)["traceEvents"].GetArray()) {
    if (event["ph"] != "X" || event["cat"] != "operation" || event["pid"] == 4242) continue;
    EXPECT_DOUBLE_EQ(event["ts"].GetDouble() + event["dur"].GetDouble(), 1900);
  }
}

TEST(Chrome, EscapesWhatPeopleCallTheirHosts) {
  const rapidjson::Document json = export_sample();
  EXPECT_STREQ(json["traceEvents"][0]["args"]["name"].GetString(), "rank 0, node\"0, pid 4242");
}

}  // namespace
}  // namespace lockstep::analysis
