#include "analysis/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/account/only_way.h"
#include "analysis/account/sole_roles.h"
#include "analysis/judge/blame.h"
#include "analysis/judge/coverage.h"
#include "analysis/judge/disagreement.h"
#include "analysis/judge/explained.h"
#include "analysis/judge/hangs.h"
#include "analysis/judge/standstill.h"
#include "analysis/relate/assumed_clocks.h"

namespace lockstep::analysis {
namespace {

class RunJudge {
 public:
  explicit RunJudge(const RunTables& run) : run_(run) {}

  Judgement judge() {
    Hangs hangs = judge_hangs(run_);
    std::vector<Finding> mismatches = find_mismatches(run_, &hangs.findings);
    append(&hangs.findings, &out_.findings);
    append(&hangs.not_known, &out_.not_known);
    append(&mismatches, &out_.findings);
    if (out_.findings.empty()) {
      std::optional<Finding> standstill = find_standstill(run_);
      if (standstill.has_value()) out_.findings.push_back(std::move(*standstill));
    }
    out_.on_assumed_clocks = on_assumed_clocks(run_);
    const RunTables& compared = out_.on_assumed_clocks ? *out_.on_assumed_clocks : run_;
    Blame blame = assign_blame(compared);
    if (out_.on_assumed_clocks) note_assumption(&blame.findings);
    leave_open_what_costs_at_most_a_trifle(&blame.findings);
    append(&blame.findings, &out_.findings);
    append(&blame.not_known, &out_.not_known);
    for (const SlowerThanExpected& slower : blame.slower) note_slower(slower);
    drop_explained(&out_.findings);
    if (out_.findings.empty()) {
      note_sole_roles(compared, *blame.followed);
      note_only_way(blame.followed->own);
    }
    std::vector<NotKnown> gaps = find_gaps(run_);
    append(&gaps, &out_.not_known);
    out_.ranks = std::move(blame.ranks);
    out_.followed = std::move(blame.followed);
    return std::move(out_);
  }

 private:
  template <class Row>
  static void append(std::vector<Row>* from, std::vector<Row>* to) {
    to->insert(to->end(), std::make_move_iterator(from->begin()),
               std::make_move_iterator(from->end()));
  }

  // What costs at most so much, as calls run ahead, may cost nothing.
  void leave_open_what_costs_at_most_a_trifle(std::vector<Finding>* findings) {
    constexpr double kLeastAtMost = 0.04;
    const auto is_trifle = [](const Finding& finding) {
      const auto* late = std::get_if<LateFacts>(&finding.facts);
      return late != nullptr && late->gain_at_most && late->gain_share < kLeastAtMost;
    };
    for (const Finding& finding : *findings) {
      if (!is_trifle(finding)) continue;
      const auto& late = std::get<LateFacts>(finding.facts);
      NotKnown& gap = out_.not_known.emplace_back();
      gap.kind = NotKnownKind::CostAtMost;
      gap.communicator = finding.communicator;
      gap.ranks = finding.culprits;
      gap.count = late.late;
      gap.share_percent = static_cast<int64_t>(std::ceil(100 * late.gain_share));
    }
    findings->erase(std::remove_if(findings->begin(), findings->end(), is_trifle), findings->end());
  }

  // Who is late by an assumed clock is never sure. A stage of a pipeline that has no replica is compared with itself
  // alone, and what it waits for seems its own work where its host's clock is wrong.
  void note_assumption(std::vector<Finding>* findings) {
    constexpr double kMostByAssumption = 0.85;
    const auto is_alone = [](const Finding& finding) {
      const auto* late = std::get_if<LateFacts>(&finding.facts);
      return late != nullptr && late->alone;
    };
    findings->erase(std::remove_if(findings->begin(), findings->end(), is_alone), findings->end());
    for (Finding& finding : *findings) {
      finding.confidence = std::min(finding.confidence, kMostByAssumption);
      auto* late = std::get_if<LateFacts>(&finding.facts);
      if (late == nullptr) continue;
      late->assumed_clocks = true;
      late->gain_at_most = false;  // what a host is always late by went into its clock
    }
    out_.not_known.emplace_back().kind = NotKnownKind::AssumedClocks;
  }

  // Stages of a pipeline: that nobody is accused does not mean that all do as much.
  void note_sole_roles(const RunTables& run, const FollowedRun& followed) {
    const SoleRoles sole = find_sole_roles(run, followed);
    if (sole.actors.empty()) return;
    NotKnown& gap = out_.not_known.emplace_back();
    gap.kind = NotKnownKind::SlowOrMoreWork;
    gap.communicator = sole.communicator;
    gap.share_percent = sole.share_percent;
    gap.ranks = followed.own.ranks_of(run, sole.communicator, sole.actors);
  }

  // Between two hosts alone: that no way is accused does not mean that theirs is fast.
  void note_only_way(const OwnSegments& own) {
    const OnlyWay way = find_only_way(run_, own);
    if (way.operation == kNoRow) return;
    NotKnown& gap = out_.not_known.emplace_back();
    gap.kind = NotKnownKind::OnlyWay;
    gap.operation = way.operation;
    gap.busbw_gbs = way.busbw_gbs;
    gap.share_percent = way.gain_percent;
  }

  void note_slower(const SlowerThanExpected& slower) {
    Finding finding;
    finding.kind = FindingKind::SlowerThanExpected;
    const ExpectedTimeRow& worst = slower.worst().row;
    finding.communicator = worst.communicator;
    finding.func = worst.func;
    const CommunicatorRow& comm = run_.communicators[finding.communicator];
    for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m)
      finding.ranks.push_back(run_.members[m].rank);
    finding.since_s = static_cast<double>(slower.gain_ns) * 1e-9;
    // 40 of 40 such findings were right (docs/measured/verdicts.md).
    finding.confidence = 0.95;
    SlowerFacts facts;
    facts.slower = slower;
    facts.factor =
        static_cast<double>(slower.worst().took_ns) / static_cast<double>(worst.expected_ns);
    facts.gain_share = static_cast<double>(slower.gain_ns) / static_cast<double>(slower.span_ns);
    finding.facts = facts;
    constexpr size_t kMostKinds = 8;
    for (size_t i = 0; i < slower.kinds.size() && i < kMostKinds; ++i)
      finding.evidence.emplace_back(KindSlower{slower.kinds[i]});
    for (const SlowerOperation& one : slower.slowest)
      finding.evidence.emplace_back(TransferSeen{one.match, one.took_ns, one.expected_ns});
    out_.findings.push_back(std::move(finding));
  }

  const RunTables& run_;
  Judgement out_;
};

}  // namespace

Judgement judge(const RunTables& run) { return RunJudge(run).judge(); }

}  // namespace lockstep::analysis
