#include "analysis/judge/diagnose.h"

#include <algorithm>
#include <map>
#include <set>

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

class Diagnoser {
 public:
  explicit Diagnoser(const RunTables& run) : run_(run) {}

  Diagnosis diagnose() {
    judge_stalls();
    unite_pairs();
    follow_culprits();
    std::stable_sort(cases_.begin(), cases_.end(), [](const Case& a, const Case& b) {
      if (a.consequence != b.consequence) return b.consequence;
      return a.finding.confidence > b.finding.confidence;
    });
    for (Case& one : cases_) out_.findings.push_back(std::move(one.finding));
    for (Finding& finding : find_mismatches()) out_.findings.push_back(std::move(finding));
    out_.blame = run_.blame != nullptr ? *run_.blame : assign_blame(run_);
    const Blame& blame = out_.blame;
    out_.findings.insert(out_.findings.end(), blame.findings.begin(), blame.findings.end());
    out_.not_known.insert(out_.not_known.end(), blame.not_known.begin(), blame.not_known.end());
    out_.not_known.insert(out_.not_known.end(), run_.notes.begin(), run_.notes.end());
    say_what_is_missing();
    return std::move(out_);
  }

 private:
  void judge_stalls() {
    for (Stall& stall : find_stalls(run_)) {
      Verdict verdict = judge_stall(run_, stall);
      out_.not_known.insert(out_.not_known.end(), verdict.not_known.begin(),
                            verdict.not_known.end());
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
      same->finding.evidence.push_back("also blocked: " + one.finding.text);
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
      one->finding.text +=
          " " + rank_list(held) + (held.size() == 1 ? " is" : " are") + " held up elsewhere.";
    }
    return true;
  }

  // A rank that is missing here because it is stuck elsewhere is no origin: walk on to what blocks
  // it there.
  void follow_culprits() {
    for (Case& one : cases_) {
      if (one.finding.kind != "missing_rank" || keep_free_culprits(&one)) continue;
      std::set<const Case*> walked{&one};
      const Case* at = &one;
      while (at != nullptr && at->finding.kind == "missing_rank") {
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
      if (at == &one || one.finding.kind == "deadlock") continue;
      one.consequence = true;
      one.finding.confidence *= 0.5;
      const OperationRow& there = run_.operations[at->stall.operation];
      one.finding.text += " That is a consequence: " + rank_list(one.finding.culprits) +
                          (one.finding.culprits.size() == 1 ? " is" : " are") + " held up by " +
                          operation_name(run_, there) + " on communicator " +
                          communicator_name(run_, at->stall.communicator) + ", see there.";
    }
  }

  void make_deadlock(Case* one, const Case& next) const {
    one->finding.kind = "deadlock";
    one->finding.confidence = std::max(one->finding.confidence, 0.9);
    one->finding.text += " " + rank_list(one->finding.culprits) + " wait" +
                         (one->finding.culprits.size() == 1 ? "s" : "") + " in " +
                         operation_name(run_, run_.operations[next.stall.operation]) +
                         " on communicator " + communicator_name(run_, next.stall.communicator) +
                         ", which in turn waits for a rank inside here: the ranks use their "
                         "communicators in different orders.";
  }

  // Operations that did end although the ranks disagreed: their result is wrong.
  std::vector<Finding> find_mismatches() const {
    std::map<uint32_t, Finding> by_communicator;
    std::map<uint32_t, uint32_t> counts;
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals < 2 || match.expected < 2) continue;
      const OperationRow& first = run_.operations[run_.arrivals[match.first_arrival].operation];
      // The ranks of an assembled operation send and receive different amounts by nature.
      // Without ends, differing calls are all there is to see.
      const bool ended = first.state == OpState::Done;
      if ((!ended && first.state != OpState::Enqueued) || first.kind == OpKind::Assembled) continue;
      std::map<uint64_t, std::vector<int32_t>> sizes;
      for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
        sizes[run_.operations[run_.arrivals[i].operation].size_bytes].push_back(
            run_.arrivals[i].rank);
      }
      if (sizes.size() < 2 || ++counts[match.communicator] > 1) continue;
      Finding finding;
      finding.kind = "mismatch";
      finding.communicator = match.communicator;
      finding.func = match.func;
      finding.ordinal = match.ordinal;
      finding.confidence = 0.9;
      const auto fewest = std::min_element(
          sizes.begin(), sizes.end(),
          [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      finding.culprits = fewest->second;
      for (const auto& [bytes, ranks] : sizes) {
        finding.ranks.insert(finding.ranks.end(), ranks.begin(), ranks.end());
        finding.evidence.push_back("operations: " + rank_list(ranks) + " passed " +
                                   std::to_string(bytes) + " bytes");
      }
      finding.text =
          operation_name(run_, first) + " on communicator " +
          communicator_name(run_, match.communicator) +
          (ended ? " ended although its ranks passed different sizes: its result cannot be right."
                 : " was called with different sizes by its ranks: it hangs, or its result is "
                   "wrong.");
      by_communicator[match.communicator] = std::move(finding);
    }
    std::vector<Finding> findings;
    for (auto& [communicator, finding] : by_communicator) {
      if (counts[communicator] > 1)
        finding.text += " It happened " + std::to_string(counts[communicator]) + " times.";
      findings.push_back(std::move(finding));
    }
    return findings;
  }

  void say_what_is_missing() {
    uint64_t without_end = 0, lost = 0;
    for (const OperationRow& row : run_.operations)
      without_end += row.state == OpState::Enqueued ? 1 : 0;
    for (const ProcessRow& process : run_.processes) lost += process.lost;
    if (without_end != 0) {
      out_.not_known.push_back("When " + std::to_string(without_end) + " of " +
                               std::to_string(run_.operations.size()) +
                               " operations ended: nothing in the recording tells (inside a host "
                               "without kernel events, copy "
                               "engines, calls without launch events).");
    }
    if (lost != 0)
      out_.not_known.push_back("What " + std::to_string(lost) +
                               " lost records said (`lockstep verify` names them).");
    for (const CommunicatorRow& comm : run_.communicators) {
      if (static_cast<int64_t>(comm.members) >= comm.nranks) continue;
      const auto row = static_cast<uint32_t>(&comm - run_.communicators.data());
      out_.not_known.push_back("What " +
                               std::to_string(comm.nranks - static_cast<int32_t>(comm.members)) +
                               " of " + std::to_string(comm.nranks) + " ranks of communicator " +
                               communicator_name(run_, row) + " did: they were not recorded.");
    }
  }

  const RunTables& run_;
  std::vector<Case> cases_;
  Diagnosis out_;
};

}  // namespace

Diagnosis diagnose(const RunTables& run) { return Diagnoser(run).diagnose(); }

}  // namespace lockstep::analysis
