// The numbers of a report: medians with their intervals, what counts as slower, and texts of a
// recording that must not become markup.
#include "analysis/report/report.h"

#include <gtest/gtest.h>

#include "analysis/report/report_compare.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_html.h"
#include "base/csv_field.h"
#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

std::vector<int64_t> around(int64_t middle_ns, int64_t count) {
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < count; ++i) samples.push_back(middle_ns - count / 2 + i);
  return samples;
}

Report report_with(std::vector<int64_t> transfers) {
  SignatureRow row;
  row.func = "AllReduce";
  row.nranks = 8;
  row.size_bytes = 1 << 20;
  row.operations = transfers.size();
  row.transfer = spread_of(&transfers);
  Report report;
  report.signatures.push_back(row);
  return report;
}

TEST(Spread, HasTheMedianInsideItsInterval) {
  std::vector<int64_t> samples = around(1000, 101);
  const Spread spread = spread_of(&samples);
  EXPECT_EQ(spread.count, 101u);
  EXPECT_EQ(spread.median_ns, 1000);
  EXPECT_EQ(spread.max_ns, 1050);
  EXPECT_EQ(spread.p99_ns, 1049);
  EXPECT_LT(spread.median_low_ns, 1000);
  EXPECT_GT(spread.median_low_ns, 950);
  EXPECT_GT(spread.median_high_ns, 1000);
  EXPECT_LT(spread.median_high_ns, 1050);
}

TEST(Spread, OfNothingIsZero) {
  std::vector<int64_t> none;
  EXPECT_EQ(spread_of(&none).count, 0u);
}

TEST(Compare, NamesWhatBecameSlowerBeyondNoise) {
  const Comparison slower =
      compare_reports({report_with(around(10'000, 200))}, report_with(around(13'000, 200)));
  ASSERT_EQ(slower.slower.size(), 1u);
  EXPECT_NE(slower.slower[0].what.find("AllReduce of 1 MiB, 8 ranks"), std::string::npos);
  EXPECT_NEAR(slower.slower[0].ratio, 1.3, 0.01);
  EXPECT_EQ(compare_reports({report_with(around(13'000, 200))}, report_with(around(10'000, 200)))
                .faster.size(),
            1u);
}

TEST(Compare, TakesASmallDifferenceAsNoise) {
  EXPECT_TRUE(compare_reports({report_with(around(10'000, 200))}, report_with(around(10'500, 200)))
                  .slower.empty());
}

TEST(Compare, TakesOverlappingScatterAsNoise) {
  std::vector<int64_t> wide, wider;
  for (int64_t i = 0; i < 20; ++i) wide.push_back(1000 * i);
  for (int64_t i = 0; i < 20; ++i) wider.push_back(1200 * i);
  EXPECT_TRUE(compare_reports({report_with(wide)}, report_with(wider)).slower.empty());
}

TEST(Compare, TakesWhatEarlierRunsDifferByAsNoise) {
  const std::vector<Report> earlier = {report_with(around(10'000, 200)),
                                       report_with(around(13'000, 200))};
  const Comparison within = compare_reports(earlier, report_with(around(15'000, 200)));
  EXPECT_TRUE(within.slower.empty());
  EXPECT_NE(comparison_text(within).find("differ by up to x 1.30"), std::string::npos);
  const Comparison beyond = compare_reports(earlier, report_with(around(18'000, 200)));
  ASSERT_EQ(beyond.slower.size(), 1u);
  EXPECT_NEAR(beyond.slower[0].ratio, 18.0 / 13, 0.01);
  EXPECT_TRUE(compare_reports(earlier, report_with(around(9'000, 200))).faster.empty());
  EXPECT_EQ(compare_reports(earlier, report_with(around(7'000, 200))).faster.size(), 1u);
}

TEST(Compare, SaysOfRunsThatHaveNothingInCommonThatNothingCouldBeCompared) {
  const Comparison none = compare_reports({Report()}, report_with(around(13'000, 200)));
  EXPECT_EQ(none.compared, 0u);
  EXPECT_EQ(comparison_text(none).rfind("Nothing could be compared.\n", 0), 0u)
      << comparison_text(none);
}

TEST(Compare, SaysThatOneEarlierRunDoesNotKnowTheNoiseBetweenRuns) {
  const Comparison one =
      compare_reports({report_with(around(10'000, 200))}, report_with(around(13'000, 200)));
  EXPECT_NE(comparison_text(one).find("With one earlier run the noise"), std::string::npos);
}

TEST(Compare, SaysWhenSamplesAreTooFew) {
  const Comparison few =
      compare_reports({report_with(around(10'000, 5))}, report_with(around(90'000, 5)));
  EXPECT_TRUE(few.slower.empty());
  EXPECT_EQ(few.too_few, 1u);
}

TEST(Answers, NameEveryoneWhoIsAccusedOfBeingLate) {
  const Judged judged = diagnose_hosts(16, 1, 99, [](int32_t rank, unsigned i) {
    const bool turn = rank == static_cast<int32_t>(i % 4) * 4;
    return operation_at(i, turn ? 4 * kMs : 0);
  });
  ASSERT_EQ(judged.findings.size(), 4u) << all_text(judged);
  const Report report = make_report(*judged.run, judge(*judged.run), "a run");
  std::string late;
  for (const std::string& answer : report.answers) {
    if (answer.rfind("Late: ", 0) == 0) late += answer;
  }
  for (const Finding& finding : judged.findings) {
    const std::string who = "Late: rank " + std::to_string(finding.culprits.front()) + " of world,";
    EXPECT_NE(late.find(who), std::string::npos) << late;
  }
}

TEST(Page, ShowsNamesAsTextNeverAsMarkup) {
  Report report = report_with(around(1000, 20));
  report.signatures[0].func = "</script><script>alert(1)</script>";
  report.signatures[0].busbw_gbs = 1;
  report.communicators.emplace_back().label = "<b>";
  report.title = report.headline.text = "<img src=x>";
  report.findings.emplace_back().text = "<!--<script>";
  const std::string page = report_html(report, nullptr);
  for (const char* markup : {"<script>alert", "<b>", "<img", "<!--"})
    EXPECT_EQ(page.find(markup), std::string::npos) << markup;
}

TEST(Top, IsBoundedPerRanking) {
  Report report;
  for (int i = 0; i < 100; ++i) {
    report.signatures.push_back(report_with(around(1000, 20)).signatures[0]);
    report.signatures.back().size_bytes = static_cast<uint64_t>(i);
  }
  const std::string text = report_top_csv(report, 3);
  EXPECT_NE(text.find("count,3,"), std::string::npos);
  EXPECT_EQ(text.find("count,4,"), std::string::npos);
}

TEST(Csv, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace lockstep::analysis
