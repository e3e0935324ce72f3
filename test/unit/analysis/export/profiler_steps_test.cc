#include "analysis/export/profiler_steps.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

// "number start..stop on thread", in microseconds of the run's axis.
std::string told(const std::vector<ProfilerStep>& steps) {
  std::string text;
  for (const ProfilerStep& step : steps) {
    text += std::to_string(step.number) + " " + std::to_string(step.start_ns / 1000) + ".." +
            std::to_string(step.stop_ns / 1000) + " on " + std::to_string(step.tid) + "; ";
  }
  return text;
}

rapidjson::Document kineto_of_rank_0(const RunTables& run) {
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "out";
  ExportSummary summary;
  const Status status = export_kineto(sample_input(run), options, &summary);
  EXPECT_TRUE(status.ok()) << status.message();
  rapidjson::Document json;
  json.Parse(read_text(dir / "out/rank0.json").c_str());
  EXPECT_FALSE(json.HasParseError());
  return json;
}

TEST(ProfilerSteps, AreThoseThatTheProgramMarked) {
  const auto run = sample_run();  // processes are recorded from 1000 to 2000 us
  for (OperationRow& row : run->operations) row.step = 3;
  run->rank_steps = {{7, kNoTime, 1150000, 0, 100},
                     {8, 1150000, 1250000, 0, 100},
                     {9, 1250000, kNoTime, 0, 100},
                     {7, 1010000, 1160000, 1, 101}};
  EXPECT_EQ(told(profiler_steps(*run, 0, {0, 1, 2})),
            "7 1000..1150 on 100; 8 1150..1250 on 100; 9 1250..2000 on 100; ");
  EXPECT_EQ(told(profiler_steps(*run, 1, {3, 4, 5})), "7 1010..1160 on 101; ");
}

TEST(ProfilerSteps, AreElseFoundInWhatTheThreadThatCallsMostCalls) {
  const auto run = sample_run();  // called at 1000, 1100 and 1200 us
  run->operations[0].step = run->operations[1].step = 4;
  run->operations[2].step = 5;
  EXPECT_EQ(told(profiler_steps(*run, 0, {0, 1, 2})), "4 1000..1200 on 100; 5 1200..1250 on 100; ");
  OperationRow other = run->operations[2];
  other.tid = 999;
  other.api_start_ns = 1050000;
  run->operations.push_back(other);
  const auto last = static_cast<uint32_t>(run->operations.size() - 1);
  EXPECT_EQ(told(profiler_steps(*run, 0, {0, 1, 2, last})),
            "4 1000..1200 on 100; 5 1200..1250 on 100; ");
}

TEST(ProfilerSteps, AreNoneWhereNoneAreKnown) {
  EXPECT_EQ(told(profiler_steps(*sample_run(), 0, {0, 1, 2})), "");
}

TEST(Kineto, AnnotatesStepsAsPyTorchDoes) {
  const auto run = sample_run();
  run->rank_steps = {{7, 1000000, 1150000, 0, 100}};
  unsigned steps = 0;
  const rapidjson::Document json = kineto_of_rank_0(*run);
  for (const auto& event : json["traceEvents"].GetArray()) {
    if (!event.HasMember("cat") || event["cat"] != "user_annotation") continue;
    EXPECT_STREQ(event["name"].GetString(), "ProfilerStep#7");
    EXPECT_EQ(event["pid"], 4242);
    EXPECT_EQ(event["tid"], 100);
    EXPECT_DOUBLE_EQ(event["dur"].GetDouble(), 150);
    ++steps;
  }
  EXPECT_EQ(steps, 1u);
}

TEST(Kineto, GivesKernelsThatOverlapStreamsOfTheirOwn) {
  const auto run = sample_run();
  run->operations[1].kernel_start_ns = run->operations[0].kernel_start_ns + 1000;
  std::string streams;
  const rapidjson::Document json = kineto_of_rank_0(*run);
  for (const auto& event : json["traceEvents"].GetArray()) {
    if (!event.HasMember("cat") || event["cat"] != "kernel") continue;
    EXPECT_EQ(event["tid"], event["args"]["stream"]);
    streams += std::to_string(event["tid"].GetInt()) + " ";
  }
  EXPECT_EQ(streams, "7 8 7 ");
}

}  // namespace
}  // namespace lockstep::analysis
