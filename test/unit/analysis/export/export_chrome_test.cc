#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <map>
#include <string>

#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

rapidjson::Document export_sample() {
  const auto run = sample_run();
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "trace.json";
  ExportSummary summary;
  const Status status = export_chrome(sample_input(*run), options, &summary);
  EXPECT_TRUE(status.ok()) << status.message();
  rapidjson::Document json;
  json.Parse(read_text(options.output).c_str());
  EXPECT_FALSE(json.HasParseError());
  return json;
}

TEST(Chrome, WritesEveryOperationOnceWithItsTimesExactly) {
  const rapidjson::Document json = export_sample();
  std::map<std::string, unsigned> names, phases;
  for (const auto& event : json["traceEvents"].GetArray()) {
    ++phases[event["ph"].GetString()];
    if (event.HasMember("cat") && event["cat"] == "operation") ++names[event["name"].GetString()];
    if (event["ph"] == "X" && event["name"] == "AllReduce" && event["pid"] == 1 &&
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
  EXPECT_EQ(phases["C"], 2u);
  EXPECT_STREQ(json["otherData"]["origin_ns"].GetString(), "1000000");
}

TEST(Chrome, EscapesWhatPeopleCallTheirHosts) {
  const rapidjson::Document json = export_sample();
  EXPECT_STREQ(json["traceEvents"][0]["args"]["name"].GetString(), "rank 0, node\"0, pid 4242");
}

}  // namespace
}  // namespace lockstep::analysis
