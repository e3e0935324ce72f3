// What the columns say where they take more than a field of their row.
#include "analysis/tables/table_columns.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// The capture that a call at `called_ns` belongs to, where one by this rule lasted from 10 to 20 us.
std::string capture_of_call_at(int64_t called_ns, const char* rule) {
  RunTables run;
  CaptureRow capture;
  capture.capture = run.strings.intern("close");
  capture.rule = run.strings.intern(rule);
  capture.process = 0;
  capture.start_ns = 10'000;
  capture.stop_ns = 20'000;
  run.captures.push_back(capture);
  OperationRow row;
  row.process = 0;
  row.api_start_ns = called_ns;
  for (const Column<OperationRow>& column : columns_of<OperationRow>()) {
    if (std::string_view(column.name) == "capture")
      return std::string(column.get(run, row, 0).text);
  }
  return "no such column";
}

TEST(TableColumns, ACaptureThatTheProgramBeginsHasTheCallsBetweenItsMarksAndNoOther) {
  EXPECT_EQ(capture_of_call_at(9'700, "program"), "");
  EXPECT_EQ(capture_of_call_at(10'000, "program"), "close");
  EXPECT_EQ(capture_of_call_at(19'700, "program"), "close");
  EXPECT_EQ(capture_of_call_at(20'000, "program"), "");
}

TEST(TableColumns, ACaptureByPositionHasItsFirstCallAndNotTheOneThatStopsItThoughClocksRound) {
  EXPECT_EQ(capture_of_call_at(9'700, "position:aa:5:10"), "close");
  EXPECT_EQ(capture_of_call_at(9'400, "position:aa:5:10"), "");
  EXPECT_EQ(capture_of_call_at(19'400, "position:aa:5:10"), "close");
  EXPECT_EQ(capture_of_call_at(19'700, "position:aa:5:10"), "");
}

}  // namespace
}  // namespace lockstep::analysis
