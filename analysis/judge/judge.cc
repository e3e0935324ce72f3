#include "analysis/judge/judge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/judge/blame.h"
#include "analysis/judge/coverage.h"
#include "analysis/judge/stalls.h"
#include "analysis/judge/verdict.h"

namespace lockstep::analysis {
namespace {

struct Case {
  Stall stall;
  Finding finding;
  std::set<uint32_t> culprits, inside;  // processes
  bool consequence = false;
};

class RunJudge {
 public:
  explicit RunJudge(const RunTables& run) : run_(run) {}

  Judgement judge() {
    judge_stalls();
    unite_pairs();
    follow_culprits();
    std::stable_sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      if (a.consequence != b.consequence) return b.consequence;
      return a.finding.confidence > b.finding.confidence;
    });
    for (Case& one : cases_) out_.findings.push_back(std::move(one.finding));
    for (Finding& finding : find_mismatches()) out_.findings.push_back(std::move(finding));
    Blame blame = assign_blame(run_);
    append(&blame.findings, &out_.findings);
    append(&blame.not_known, &out_.not_known);
    std::vector<NotKnown> gaps = find_gaps(run_);
    append(&gaps, &out_.not_known);
    out_.ranks = std::move(blame.ranks);
    return std::move(out_);
  }

 private:
  template <class Row>
  static void append(std::vector<Row>* from, std::vector<Row>* to) {
    to->insert(to->end(), std::make_move_iterator(from->begin()),
               std::make_move_iterator(from->end()));
  }

  void judge_stalls() {
    for (Stall& stall : find_stalls(run_)) {
      Verdict verdict = judge_stall(run_, stall);
      append(&verdict.not_known, &out_.not_known);
      if (!verdict.finding.has_value()) continue;
      Case one;
      one.finding = std::move(*verdict.finding);
      for (const StallMember& member : stall.members) {
        if (member.process == kNoRow) continue;
        if (member.stand == Stand::Inside) one.inside.insert(member.process);
        const auto& culprits = one.finding.culprits;
        if (std::find(culprits.begin(), culprits.end(), member.rank) != culprits.end())
          one.culprits.insert(member.process);
      }
      one.stall = std::move(stall);
      cases_.push_back(std::move(one));
    }
  }

  // A rank that is missing in a ring of sends and receives blocks several pairs: one finding, not
  // many. Those that it blocks as well as a collective of the same communicator belong to that
  // finding.
  void unite_pairs() {
    std::vector<Case> kept;
    for (Case& one : cases_) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const Case& other) {
        return other.stall.communicator == one.stall.communicator &&
               (one.stall.pair || other.stall.pair) &&
               other.finding.culprits == one.finding.culprits;
      });
      if (same == kept.end()) {
        kept.push_back(std::move(one));
        continue;
      }
      if (same->stall.pair && !one.stall.pair) std::swap(*same, one);
      for (const int32_t rank : one.finding.ranks) {
        auto& ranks = same->finding.ranks;
        if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
      }
      std::sort(same->finding.ranks.begin(), same->finding.ranks.end());
      same->inside.insert(one.inside.begin(), one.inside.end());
      append(&one.finding.also, &same->finding.also);
      same->finding.also.push_back(std::move(one.finding));
    }
    cases_ = std::move(kept);
  }

  // The stall a process is inside of, other than the given one.
  const Case* other_case(const Case& one, uint32_t process) const {
    for (const Case& other : cases_) {
      if (&other != &one && other.inside.count(process) != 0) return &other;
    }
    return nullptr;
  }

  static StallFacts& facts_of(Case* one) { return std::get<StallFacts>(one->finding.facts); }

  // Where some culprits are held up elsewhere and some are not, the latter are the origin.
  bool keep_free_culprits(Case* one) const {
    std::vector<int32_t> free, held;
    for (const StallMember& member : one->stall.members) {
      if (member.process == kNoRow || one->culprits.count(member.process) == 0 ||
          member.stand == Stand::Inside)
        continue;
      (other_case(*one, member.process) == nullptr ? free : held).push_back(member.rank);
    }
    if (free.empty()) return false;
    if (!held.empty()) {
      one->finding.culprits = free;
      facts_of(one).held = held;
    }
    return true;
  }

  // A rank that is missing here because it is stuck elsewhere is no origin: walk on to what blocks
  // it there.
  void follow_culprits() {
    for (Case& one : cases_) {
      if (one.finding.kind != FindingKind::MissingRank || keep_free_culprits(&one)) continue;
      std::set<const Case*> walked{&one};
      const Case* at = &one;
      while (at != nullptr && at->finding.kind == FindingKind::MissingRank) {
        const Case* next = nullptr;
        for (const uint32_t process : at->culprits) {
          if (next == nullptr) next = other_case(*at, process);
        }
        if (next == nullptr) break;
        if (!walked.insert(next).second) {
          make_deadlock(&one, *next);
          break;
        }
        at = next;
      }
      if (at == &one || one.finding.kind == FindingKind::Deadlock) continue;
      one.consequence = true;
      one.finding.confidence *= 0.5;
      facts_of(&one).held_by = at->stall.operation;
    }
  }

  static void make_deadlock(Case* one, const Case& next) {
    one->finding.kind = FindingKind::Deadlock;
    one->finding.confidence = std::max(one->finding.confidence, 0.9);
    facts_of(one).held_by = next.stall.operation;
  }

  // Operations that did end although the ranks disagreed: their result is wrong. One finding for each
  // communicator.
  std::vector<Finding> find_mismatches() const {
    std::map<uint32_t, Finding> by_communicator;
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals < 2 || match.expected < 2) continue;
      const OperationRow& first = run_.operations[run_.arrivals[match.first_arrival].operation];
      // The ranks of an assembled operation send and receive different amounts by nature.
      // Without ends, differing calls are all there is to see.
      const bool seen = first.state == OpState::Done || first.state == OpState::Enqueued;
      if (!seen || first.kind == OpKind::Assembled) continue;
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

  std::map<uint64_t, ValuesPassed> sizes_of(const MatchRow& match) const {
    std::map<uint64_t, ValuesPassed> sizes;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const ArrivalRow& arrival = run_.arrivals[i];
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
    const auto fewest = std::min_element(
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
    finding.facts = facts;
    return finding;
  }

  const RunTables& run_;
  std::vector<Case> cases_;
  Judgement out_;
};

}  // namespace

Judgement judge(const RunTables& run) { return RunJudge(run).judge(); }

}  // namespace lockstep::analysis
