// What a program reads of a finding.
#include "cli/show/diagnosis_json.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

template <class Facts>
std::string json_of(analysis::FindingKind kind, const Facts& facts) {
  Judged judged;
  judged.run = std::make_shared<const analysis::RunTables>();
  analysis::Finding& finding = judged.judgement.findings.emplace_back();
  finding.kind = kind;
  finding.facts = facts;
  return diagnosis_json(judged, nullptr, {});
}
std::string slow_way(bool both_ends) {
  analysis::PathFacts facts;
  facts.both_ends = both_ends;
  return json_of(analysis::FindingKind::SlowLink, facts);
}
std::string straggler(bool assumed_clocks) {
  analysis::LateFacts facts;
  facts.assumed_clocks = assumed_clocks;
  return json_of(analysis::FindingKind::Straggler, facts);
}

TEST(DiagnosisJson, SaysOfASlowWayWhetherOnlyOneOfItsEndsIsToBlame) {
  EXPECT_NE(slow_way(true).find("\"one_of\":true"), std::string::npos) << slow_way(true);
  EXPECT_NE(slow_way(false).find("\"one_of\":false"), std::string::npos) << slow_way(false);
}

TEST(DiagnosisJson, SaysWhetherWhoIsLateRestsOnAssumedClocks) {
  EXPECT_NE(straggler(true).find("\"assumed_clocks\":true"), std::string::npos);
  EXPECT_NE(straggler(false).find("\"assumed_clocks\":false"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::cli
