#include "analysis/say/headline.h"

#include <variant>

#include "analysis/say/findings.h"
#include "analysis/say/headline_text.h"
#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

// Damage and lost records can hide a finding, and so can anything that judge() could not see.
Headline without_finding(const RunTables& run, const Judgement& judgement) {
  Headline line;
  if (run.operations.empty()) {
    line.text = no_finding(run);
    return line;
  }
  if (judgement.not_known.empty() && run.damage.empty()) {
    line.kind = HeadlineKind::Nothing;
    line.text =
        "Nothing stands out: every call was recorded, and no rank is late more often than "
        "chance explains.";
    return line;
  }
  const size_t gaps = judgement.not_known.size();
  line.text = "Nothing was found, but " +
              (gaps == 0 ? std::string("part of the recording is damaged")
                         : counted(gaps, "thing") + (gaps == 1 ? " is" : " are") + " not known") +
              ".";
  return line;
}

bool is_stall(const Finding& finding) { return std::holds_alternative<StallFacts>(finding.facts); }

}  // namespace

Headline headline(const RunTables& run, const Judgement& judgement) {
  if (judgement.findings.empty()) return without_finding(run, judgement);
  Headline line;
  // What stands still comes before all that only costs time; then the costliest.
  for (size_t i = 0; i < judgement.findings.size(); ++i) {
    const Finding& finding = judgement.findings[i];
    const bool before = is_stall(judgement.findings[line.finding]);
    if (before) break;
    if (is_stall(finding) || cost_share(finding) > cost_share(judgement.findings[line.finding]))
      line.finding = i;
  }
  const Finding& finding = judgement.findings[line.finding];
  if (is_stall(finding)) {
    line.kind = HeadlineKind::Hangs;
    line.text = headline_text(run, finding, line.cost_share);
    line.waiting_ranks = waiting_ranks(run, finding);
    return line;
  }
  line.kind = HeadlineKind::Costs;
  line.cost_share = cost_share(finding);
  line.text = headline_text(run, finding, line.cost_share);
  return line;
}

}  // namespace lockstep::analysis
