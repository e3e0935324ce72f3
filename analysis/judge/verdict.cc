#include "analysis/judge/verdict.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "analysis/judge/absence.h"
#include "analysis/judge/disagreement.h"
#include "analysis/judge/hang_case.h"
#include "analysis/judge/transport_verdict.h"
#include "analysis/waits/strays.h"

namespace lockstep::analysis {
namespace {

// While the job runs, an operation must stand still this long before anybody is accused: longer
// than a slow checkpoint's pause between two ranks, yet known within 15 s.
constexpr double kPatienceS = 5, kMostPatienceS = 12;
// An operation that all have entered must stand still for longer than NCCL takes to give up a
// communicator (half a second): until then it may have been cut short by that alone.
constexpr double kShortestStallS = 1;

bool too_early(const Stall& stall) {
  const double typical = static_cast<double>(stall.typical_ns) * 1e-9;
  return stall.running && stall.seconds < std::clamp(3 * typical, kPatienceS, kMostPatienceS);
}

class CauseJudge {
 public:
  explicit CauseJudge(HangCase* one) : case_(*one), stall_(one->stall) {}

  void judge() {
    if (case_.cause.circle)
      deadlock();
    else if (case_.cause.stalls.empty())
      judge_absence(&case_);
    else if (!judge_disagreement(&case_) && !early_abort() && !unrecorded_ranks())
      everybody_inside();
    if (case_.concluded()) add_members();
  }

 private:
  // What each member that is inside did there last.
  void add_members() {
    constexpr size_t kMostEvidence = 24;
    std::vector<Evidence>& evidence = case_.finding.evidence;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow || evidence.size() >= kMostEvidence) continue;
      const OperationRow& row = case_.run.operations[member.operation];
      evidence.emplace_back(
          LastProgress{member.rank, member.operation, member.until_ns - row.last_progress_ns});
    }
  }

  void deadlock() {
    const Suspects suspects = find_strays(case_.run, case_.graph, case_.cause);
    const std::vector<int32_t> culprits = case_.accuse(suspects.actors);
    for (const uint32_t number : case_.cause.stalls) {
      const Stall& stall = case_.graph.stalls()[number];
      case_.facts.circle.push_back(stall.operation);
      for (const StallMember& member : stall.members)
        if (member.stand == Stand::Inside && !stall.by_calls)
          case_.facts.inside_circle.push_back(member.process);
    }
    case_.facts.one_of = suspects.one_of;
    case_.facts.held.clear();
    case_.conclude(FindingKind::Deadlock, StallClue::Circle, culprits,
                   suspects.confidence * case_.stall_confidence() / 0.95);
  }

  bool early_abort() {
    if (!stall_.one_clock) return false;
    int64_t first = kNoTime, second = kNoTime;
    int64_t stood = 0;  // before the first gave up
    int32_t rank = -1;
    for (const StallMember& member : stall_.members) {
      if (member.finalize_ns == kNoTime) continue;
      if (first == kNoTime || member.finalize_ns < first) {
        second = first;
        first = member.finalize_ns;
        stood = first - member.until_ns + static_cast<int64_t>(stall_.seconds * 1e9);
        rank = member.rank;
      } else if (second == kNoTime || member.finalize_ns < second) {
        second = member.finalize_ns;
      }
    }
    if (first == kNoTime || second == kNoTime) return false;
    const int64_t ahead = second - first;
    if (ahead < std::max<int64_t>(500'000'000, 20 * stall_.typical_ns)) return false;
    // Watchdogs that end a hang do not all bark at once.
    if (ahead < stood) return false;
    case_.finding.evidence.emplace_back(EarlyFinalize{rank, ahead});
    case_.conclude(FindingKind::Aborted, StallClue::GaveUp, {rank}, 0.9);
    return true;
  }

  // Unknown is not guilty; a kernel that never began is, whatever the others do.
  bool unrecorded_ranks() {
    if (case_.not_recorded.empty() || case_.inside.empty() || some_began()) return false;
    if (case_.stall_confidence() < 0.8) return true;
    case_.facts.named = case_.not_recorded;
    case_.conclude(FindingKind::MissingRank, StallClue::NotRecorded, {}, 0.4);
    return true;
  }

  bool some_began() const {
    const auto stands = [&](Stand stand) {
      return std::any_of(stall_.members.begin(), stall_.members.end(),
                         [&](const StallMember& member) { return member.stand == stand; });
    };
    return stands(Stand::Inside) && stands(Stand::NotBegun);
  }

  // The stalls of the cause, without those whose ranks are held up in another one of their group call:
  // these may have moved their data.
  std::vector<const Stall*> stand_together() const {
    std::vector<const Stall*> all, free;
    std::unordered_set<uint32_t> operations;
    for (const uint32_t number : case_.cause.stalls) {
      all.push_back(&case_.graph.stalls()[number]);
      for (const StallMember& member : all.back()->members) operations.insert(member.operation);
    }
    const auto held_elsewhere = [&](const StallMember& member) {
      if (member.actor == kNoRow || member.operation == kNoRow) return false;
      const std::vector<uint32_t>& heads = case_.graph.heads().of(member.actor);
      const uint64_t group = case_.run.operations[member.operation].group_id;
      return std::any_of(heads.begin(), heads.end(), [&](uint32_t head) {
        return case_.run.operations[head].group_id == group && operations.count(head) == 0;
      });
    };
    std::copy_if(all.begin(), all.end(), std::back_inserter(free), [&](const Stall* one) {
      return std::none_of(one->members.begin(), one->members.end(), held_elsewhere);
    });
    return free.empty() ? all : free;
  }

  void everybody_inside() {
    // A job that is killed or leaves without destroying its communicators ends with its last
    // operation open.
    if (stall_.by_calls) return;
    if (case_.stall_confidence() < 0.8 || stall_.seconds < kShortestStallS) {
      if (!stall_.running && !case_.inside.empty()) case_.add_gap(NotKnownKind::InProgress);
      return;
    }
    const TransportVerdict transport = judge_transport(case_.run, stall_, stand_together());
    case_.finding.evidence.insert(case_.finding.evidence.end(), transport.evidence.begin(),
                                  transport.evidence.end());
    if (transport.not_known.has_value()) case_.add_gap(*transport.not_known);
    case_.facts.named = transport.not_begun;
    case_.facts.before = transport.before;
    case_.facts.peer = transport.peer;
    case_.facts.one_of = transport.one_of;
    case_.conclude(transport.kind, transport.clue, transport.culprits,
                   transport.confidence * case_.stall_confidence() / 0.95);
  }

  HangCase& case_;
  const Stall& stall_;
};

}  // namespace

Verdict judge_cause(const RunTables& run, const WaitGraph& graph, const HangCause& cause,
                    const Stall& stall) {
  if (too_early(stall)) return {};
  HangCase one(run, graph, cause, stall);
  CauseJudge(&one).judge();
  Verdict verdict;
  verdict.not_known = std::move(one.not_known);
  if (one.concluded()) verdict.finding = std::move(one.finding);
  return verdict;
}

}  // namespace lockstep::analysis
