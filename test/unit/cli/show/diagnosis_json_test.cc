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
std::string straggler(bool analysis::LateFacts::*limit, bool limited) {
  analysis::LateFacts facts;
  facts.*limit = limited;
  return json_of(analysis::FindingKind::Straggler, facts);
}

TEST(DiagnosisJson, SaysOfASlowWayWhetherOnlyOneOfItsEndsIsToBlame) {
  EXPECT_NE(slow_way(true).find("\"one_of\":true"), std::string::npos) << slow_way(true);
  EXPECT_NE(slow_way(false).find("\"one_of\":false"), std::string::npos) << slow_way(false);
}

TEST(DiagnosisJson, SaysWhetherWhoIsLateRestsOnAssumedClocks) {
  const auto rests = &analysis::LateFacts::assumed_clocks;
  EXPECT_NE(straggler(rests, true).find("\"assumed_clocks\":true"), std::string::npos);
  EXPECT_NE(straggler(rests, false).find("\"assumed_clocks\":false"), std::string::npos);
}

TEST(DiagnosisJson, SaysWhetherWhatALateRankCostsIsAnUpperLimit) {
  const auto at_most = &analysis::LateFacts::gain_at_most;
  EXPECT_NE(straggler(at_most, true).find("\"gain_at_most\":true"), std::string::npos);
  EXPECT_NE(straggler(at_most, false).find("\"gain_at_most\":false"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::cli
