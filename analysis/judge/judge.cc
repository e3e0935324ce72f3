#include "analysis/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "analysis/account/only_way.h"
#include "analysis/account/sole_roles.h"
#include "analysis/judge/blame.h"
#include "analysis/judge/coverage.h"
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
    for (const Finding& finding : hangs.findings) note_match(finding);
    append(&hangs.findings, &out_.findings);
    append(&hangs.not_known, &out_.not_known);
    std::vector<Finding> mismatches = find_mismatches();
    for (Finding& mismatch : mismatches) take_in_what_follows(&mismatch);
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

  // What stands still in an operation is judged with the hangs.
  void note_match(const Finding& finding) {
    const auto* stall = std::get_if<StallFacts>(&finding.facts);
    if (stall != nullptr) judged_.insert(run_.operations[stall->operation].match);
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

  // Operations that did end although the ranks disagreed: their result is wrong. One finding for each
  // communicator.
  std::vector<Finding> find_mismatches() const {
    std::map<uint32_t, Finding> by_communicator;
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals < 2 || match.expected < 2) continue;
      const OperationRow& first = run_.operations[run_.arrivals[match.first_arrival].operation];
      // The ranks of an assembled operation send and receive different amounts by nature.
      if (judged_.count(first.match) != 0 || !nobody_inside(match) ||
          first.kind == OpKind::Assembled)
        continue;
      const std::map<uint64_t, ValuesPassed> sizes = sizes_of(match);
      if (sizes.size() < 2) continue;
      const auto [at, is_new] = by_communicator.try_emplace(match.communicator);
      if (is_new)
        at->second = mismatch(match, sizes);
      else
        ++std::get<SizeFacts>(at->second.facts).times;
    }
    std::vector<Finding> findings;
    for (auto& [communicator, finding] : by_communicator) findings.push_back(std::move(finding));
    return findings;
  }

  // Where nothing tells that a mismatched operation ended its ranks may stand in it for good: what they
  // called later stands still because of it, unless something else is known that holds it up. Where one
  // rank's calls are shifted from there on, all that the ranks disagree about later follows from that.
  void take_in_what_follows(Finding* mismatch) {
    const auto& facts = std::get<SizeFacts>(mismatch->facts);
    const std::map<uint32_t, int64_t> called_ns =
        calls_of(run_.matches[run_.operations[facts.operation].match]);
    const bool may_stand = !facts.ended && !went_on(called_ns);
    if (!may_stand && facts.shift == Shift::None) return;
    std::vector<Finding> left;
    for (Finding& hang : out_.findings) {
      const auto* stall = std::get_if<StallFacts>(&hang.facts);
      const bool follows = stall != nullptr &&
                           ((facts.shift != Shift::None && is_shifted_too(*stall, facts)) ||
                            (may_stand && !names_who(hang) && was_called_later(*stall, called_ns)));
      if (!follows) {
        left.push_back(std::move(hang));
        continue;
      }
      const bool absent = stall->clue == StallClue::NeverCalled;
      mismatch->consequences.push_back(
          {stall->operation, hang.ranks, absent ? stall->named : std::vector<int32_t>{}});
      append(&hang.consequences, &mismatch->consequences);
    }
    out_.findings = std::move(left);
  }
  // Behind the place from which one rank's calls are shifted, its ranks disagree about what is called.
  bool is_shifted_too(const StallFacts& stall, const SizeFacts& first) const {
    const OperationRow& row = run_.operations[stall.operation];
    const OperationRow& shifted = run_.operations[first.operation];
    const bool disagree =
        stall.clue == StallClue::NeverCalled || stall.clue == StallClue::OtherCall ||
        stall.clue == StallClue::OtherValues || stall.clue == StallClue::NoCommonValues;
    return disagree && row.communicator == shifted.communicator && row.position != kNoRow &&
           row.position > shifted.position;
  }
  // When each process called an operation, on its own clock.
  std::map<uint32_t, int64_t> calls_of(const MatchRow& match) const {
    std::map<uint32_t, int64_t> called_ns;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const OperationRow& row = run_.operations[run_.arrivals[i].operation];
      called_ns[row.process] = row.called_ns();
    }
    return called_ns;
  }
  static bool is_later(const OperationRow& row, const std::map<uint32_t, int64_t>& called_ns) {
    const auto found = called_ns.find(row.process);
    return found != called_ns.end() && found->second != kNoTime && row.called_ns() > found->second;
  }
  bool went_on(const std::map<uint32_t, int64_t>& called_ns) const {
    return std::any_of(run_.operations.begin(), run_.operations.end(), [&](const auto& row) {
      return row.state == OpState::Done && is_later(row, called_ns);
    });
  }
  bool was_called_later(const StallFacts& stall,
                        const std::map<uint32_t, int64_t>& called_ns) const {
    const uint32_t match = run_.operations[stall.operation].match;
    if (match == kNoRow) return is_later(run_.operations[stall.operation], called_ns);
    const ArrivalRow* begin = run_.arrivals.data() + run_.matches[match].first_arrival;
    return std::all_of(begin, begin + run_.matches[match].arrivals, [&](const ArrivalRow& arrival) {
      return is_later(run_.operations[arrival.operation], called_ns);
    });
  }

  // Without ends, differing calls are all there is to see.
  bool nobody_inside(const MatchRow& match) const {
    const ArrivalRow* begin = run_.arrivals.data() + match.first_arrival;
    return std::all_of(begin, begin + match.arrivals, [this](const ArrivalRow& arrival) {
      const OpState state = run_.operations[arrival.operation].state;
      return state == OpState::Done || state == OpState::Enqueued;
    });
  }

  std::map<uint64_t, ValuesPassed> sizes_of(const MatchRow& match) const {
    std::map<uint64_t, ValuesPassed> sizes;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const ArrivalRow& arrival = run_.arrivals[i];
      if (arrival.rank < 0) continue;  // nobody could be named
      ValuesPassed& passed = sizes[run_.operations[arrival.operation].size_bytes];
      passed.ranks.push_back(arrival.rank);
      passed.operation = arrival.operation;
      passed.bytes_only = true;
    }
    return sizes;
  }

  Finding mismatch(const MatchRow& match, const std::map<uint64_t, ValuesPassed>& sizes) const {
    Finding finding;
    finding.kind = FindingKind::Mismatch;
    finding.communicator = match.communicator;
    finding.func = match.func;
    finding.ordinal = match.ordinal;
    finding.confidence = 0.9;
    const auto [fewest, most] = std::minmax_element(
        sizes.begin(), sizes.end(),
        [](const auto& a, const auto& b) { return a.second.ranks.size() < b.second.ranks.size(); });
    finding.culprits = fewest->second.ranks;
    for (const auto& [bytes, passed] : sizes) {
      finding.ranks.insert(finding.ranks.end(), passed.ranks.begin(), passed.ranks.end());
      finding.evidence.emplace_back(passed);
    }
    SizeFacts facts;
    facts.operation = run_.arrivals[match.first_arrival].operation;
    facts.ended = run_.operations[facts.operation].state == OpState::Done;
    if (fewest->second.ranks.size() < most->second.ranks.size())
      facts.shift = shift_of(run_, fewest->second.operation, most->second.operation);
    finding.facts = facts;
    return finding;
  }

  const RunTables& run_;
  std::set<uint32_t> judged_;  // matches
  Judgement out_;
};

}  // namespace

Judgement judge(const RunTables& run) { return RunJudge(run).judge(); }

}  // namespace lockstep::analysis
