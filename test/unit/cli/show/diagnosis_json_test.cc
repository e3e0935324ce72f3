// What a program reads of a finding.
#include "cli/show/diagnosis_json.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

std::string slow_way(bool both_ends) {
  Judged judged;
  judged.run = std::make_shared<const analysis::RunTables>();
  analysis::Finding& finding = judged.judgement.findings.emplace_back();
  finding.kind = analysis::FindingKind::SlowLink;
  analysis::PathFacts facts;
  facts.both_ends = both_ends;
  finding.facts = facts;
  return diagnosis_json(judged, nullptr, {});
}

TEST(DiagnosisJson, SaysOfASlowWayWhetherOnlyOneOfItsEndsIsToBlame) {
  EXPECT_NE(slow_way(true).find("\"one_of\":true"), std::string::npos) << slow_way(true);
  EXPECT_NE(slow_way(false).find("\"one_of\":false"), std::string::npos) << slow_way(false);
}

}  // namespace
}  // namespace lockstep::cli
