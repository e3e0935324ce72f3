#include "analysis/report/report_json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"

namespace lockstep::analysis {
namespace {

std::string json_of(const Report& report) {
  JsonFields out;
  out.object([&] { put_report(report, nullptr, &out); });
  return std::string(out.text());
}

size_t count_of(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

TEST(ReportJson, HasErrorsOfALongLogThatComeLateInsteadOfOtherLines) {
  Report report;
  for (int64_t i = 0; i < 5999; ++i)
    report.logs.push_back({i, "train.log", "a step", static_cast<uint64_t>(i), -1, LogLevel::Info});
  report.logs.push_back({5999, "train.log", "an error", 5999, -1, LogLevel::Error});
  const std::string json = json_of(report);
  EXPECT_EQ(count_of(json, "\"an error\""), 1u);
  EXPECT_EQ(count_of(json, "\"a step\""), 4999u);
}

}  // namespace
}  // namespace lockstep::analysis
