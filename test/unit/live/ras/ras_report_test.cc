#include "live/ras/ras_report.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

TEST(RasReport, CommasAreOnlyPutWhereOneValueFollowsAnother) {
  const std::string whole = R"({"a": [1, -2.5e+3, "x, \"y\" 3"], "b": {"c": true}, "d": null})";
  EXPECT_EQ(with_missing_commas(whole), whole);
  EXPECT_EQ(with_missing_commas("{\"nvml_dev\": 3\n \"status\": {} \"z\": [1 2 {}[]]}"),
            "{\"nvml_dev\": 3\n ,\"status\": {} ,\"z\": [1 ,2 ,{},[]]}");
}

TEST(RasReport, NothingThatIsCutOrStrangeIsReadBeyondItsEnd) {
  const std::string text =
      R"({"communicators": [{"hash": "0x1", "ranks": [{"rank": 0}]}], "x": "\\\""})";
  for (size_t bytes = 0; bytes < text.size(); ++bytes) {
    const std::string cut = text.substr(0, bytes);
    EXPECT_FALSE(parse_ras_report(cut).ok()) << cut;
  }
  for (const char* strange : {"\"", "{\"a\": \"\\", "[[[[", "}}}}", "{]", "\x01\xff", "{} {}"})
    EXPECT_FALSE(parse_ras_report(strange).ok()) << strange;
}

TEST(RasReport, FieldsOfOtherTypesAreAsIfTheyWereMissing) {
  const auto report = parse_ras_report(
      R"({"communicators": [7, {"hash": 5, "size": "4", "ranks": [null, {"rank": "1", "pid": -3,
          "collective_counts": {"AllReduce": "9", "Reduce": 2}}], "missing_ranks": {}}]})");
  ASSERT_TRUE(report.ok()) << report.message();
  ASSERT_EQ(report.value().communicators.size(), 1u);
  const RasCommunicator& comm = report.value().communicators[0];
  EXPECT_EQ(comm.hash, 0u);
  EXPECT_EQ(comm.size, 0);
  ASSERT_EQ(comm.ranks.size(), 1u);
  EXPECT_EQ(comm.ranks[0].rank, -1);
  EXPECT_EQ(comm.ranks[0].pid, 0u);
  EXPECT_EQ(comm.ranks[0].launched, (std::map<std::string, uint64_t>{{"Reduce", 2}}));
  EXPECT_TRUE(comm.missing.empty());
}

TEST(RasReport, WhatIsNoReportIsNamedAndItsBytesAreShownAsText) {
  const auto text = parse_ras_report("Job summary\n===========\n\x1b[31m");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.message().find("'Job summary ==========="), std::string::npos) << text.message();
  EXPECT_EQ(text.message().find('\x1b'), std::string::npos);
  EXPECT_NE(parse_ras_report("{\"error\": 1}").message().find("no communicators"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep::live
