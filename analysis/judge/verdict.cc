#include "analysis/judge/verdict.h"

#include <algorithm>

#include "analysis/judge/transport_verdict.h"
#include "analysis/waits/passed_values.h"
#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

// While the job runs, an operation must stand still this long before anybody is accused: longer
// than a slow checkpoint's pause between two ranks, yet known within 15 s.
constexpr double kPatienceS = 5, kMostPatienceS = 12;
// An operation that all have entered must stand still for longer than NCCL takes to give up a
// communicator (half a second): until then it may have been cut short by that alone.
constexpr double kShortestStallS = 1;

bool has(const std::vector<uint32_t>& list, uint32_t one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

class CauseJudge {
 public:
  CauseJudge(const RunTables& run, const WaitGraph& graph, const HangCause& cause,
             const Stall& stall)
      : run_(run), graph_(graph), cause_(cause), stall_(stall) {}

  Verdict judge() {
    const double typical = static_cast<double>(stall_.typical_ns) * 1e-9;
    if (stall_.running && stall_.seconds < std::clamp(3 * typical, kPatienceS, kMostPatienceS))
      return {};
    begin();
    if (cause_.circle)
      deadlock();
    else if (cause_.stalls.empty())
      outside();
    else if (!disagreement() && !early_abort() && !unrecorded_ranks())
      everybody_inside();
    if (verdict_.finding.has_value()) add_members();
    return std::move(verdict_);
  }

 private:
  void begin() {
    const OperationRow& expected = run_.operations[stall_.operation];
    finding_.communicator = stall_.communicator;
    finding_.func = expected.func;
    finding_.ordinal = expected.ordinal;
    finding_.since_s = stall_.seconds;
    facts_.operation = stall_.operation;
    facts_.by_calls = stall_.by_calls;
    std::vector<int32_t> killed;
    for (const StallMember& member : stall_.members) {
      const bool culprit = member.actor != kNoRow && has(cause_.actors, member.actor);
      if (member.process != kNoRow && graph_.fates().killed_waiting(member.process) && !culprit)
        killed.push_back(member.rank);
      switch (member.stand) {
        case Stand::Inside:
        case Stand::NotBegun:
          if (culprit && !cause_.circle) break;
          // The text is told from where somebody waits.
          if (inside_.empty()) facts_.operation = member.operation;
          inside_.push_back(member.rank);
          break;
        case Stand::Missing:
          if (!culprit && graph_.fates().of(member.process) == Fate::Sound)
            facts_.held.push_back(member.rank);
          break;
        case Stand::NotRecorded:
          not_recorded_.push_back(member.rank);
          break;
        default:
          break;
      }
    }
    finding_.ranks = inside_;
    if (!killed.empty()) finding_.evidence.emplace_back(KilledWhileWaiting{killed});
  }

  // How sure it is that time really stood still, from how long against what is usual.
  double stall_confidence() const {
    const double typical = std::max(1e-3, static_cast<double>(stall_.typical_ns) * 1e-9);
    const double ratio = stall_.seconds / typical;
    if (stall_.by_calls) return ratio >= 20 && stall_.seconds >= 1 ? 0.8 : 0.4;
    if (ratio >= 20 && stall_.seconds >= 1) return 0.95;
    return ratio >= 5 ? 0.8 : 0.4;
  }

  // What each member that is inside did there last.
  void add_members() {
    constexpr size_t kMostEvidence = 24;
    std::vector<Evidence>& evidence = verdict_.finding->evidence;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow || evidence.size() >= kMostEvidence) continue;
      const OperationRow& row = run_.operations[member.operation];
      evidence.emplace_back(
          LastProgress{member.rank, member.operation, member.until_ns - row.last_progress_ns});
    }
  }

  // facts_.named is who the clue is about; culprits are those who are accused for it.
  void conclude(FindingKind kind, StallClue clue, std::vector<int32_t> culprits,
                double confidence) {
    finding_.kind = kind;
    finding_.culprits = std::move(culprits);
    finding_.confidence = confidence;
    facts_.clue = clue;
    facts_.waiting = inside_;
    if (facts_.named.empty()) facts_.named = finding_.culprits;
    finding_.facts = facts_;
    verdict_.finding = finding_;
  }

  NotKnown& add_gap(NotKnownKind kind) {
    NotKnown& gap = verdict_.not_known.emplace_back();
    gap.kind = kind;
    gap.communicator = stall_.communicator;
    gap.operation = stall_.operation;
    return gap;
  }

  // Ranks that wait in no operation: the process table and the reach of their recordings say why.
  void outside() {
    const Fate fate = graph_.fates().of(graph_.actors().process_of(cause_.actors.front()));
    double confidence = fate == Fate::Sound ? stall_confidence() : 0.95;
    // Ranks call ahead of each other as far as their streams are deep.
    if (fate == Fate::Sound && stall_.by_calls && confidence < 0.8) return;
    for (const StallMember& member : stall_.members) {
      if (member.actor == kNoRow || !has(cause_.actors, member.actor)) continue;
      confidence *= add_absence(fate, member);
    }
    const std::vector<int32_t> named = accuse(cause_.actors);
    switch (fate) {
      case Fate::Dead:
        return conclude(FindingKind::DeadProcess, StallClue::Died, named, confidence);
      case Fate::Stopped:
        return conclude(FindingKind::MissingRank, StallClue::Stopped, named, confidence);
      case Fate::Silent:
        return conclude(FindingKind::DeadProcess, StallClue::Silent, named, confidence);
      case Fate::Behind:
        facts_.named = named;
        return conclude(FindingKind::MissingRank, StallClue::Behind, {}, 0.4);
      case Fate::Sound:
        facts_.too_soon = confidence <= 0.4;
        return conclude(FindingKind::MissingRank, StallClue::NeverCalled, named, confidence);
    }
  }

  // Evidence of why a member is not there; what it leaves of the confidence.
  double add_absence(Fate fate, const StallMember& member) {
    const ProcessRow& process = run_.processes[member.process];
    if (still_runs(process.life) && process.life != Life::Running)
      finding_.evidence.emplace_back(HaltSeen{member.rank, member.process});
    switch (fate) {
      case Fate::Dead:
        finding_.evidence.emplace_back(death_of(member));
        return 1;
      case Fate::Silent:
        finding_.evidence.emplace_back(
            SilenceSeen{member.rank, member.process, graph_.fates().silent_ns(member.process)});
        return 1;
      case Fate::Behind: {
        NotKnown& gap = add_gap(NotKnownKind::RecordingBehind);
        gap.operation = graph_.fates().ended_without(member.process);
        gap.communicator = run_.operations[gap.operation].communicator;
        gap.ranks = {rank_on(member.actor, gap.communicator)};
        return 1;
      }
      case Fate::Stopped:
        return 1;
      case Fate::Sound:
        break;
    }
    finding_.evidence.emplace_back(NeverCalled{member.rank, member.last_operation});
    if (process.lost == 0) return 1;
    NotKnown& gap = add_gap(NotKnownKind::CallsLost);
    gap.rank = member.rank;
    gap.count = process.lost;
    return 0.7;
  }

  DeathSeen death_of(const StallMember& member) const {
    const ProcessRow& dead = run_.processes[member.process];
    int64_t last_word = kNoTime;  // of the survivors whose clock is the same
    for (const ProcessRow& process : run_.processes) {
      if (process.life != Life::Dead && clock_key(process) == clock_key(dead))
        last_word = std::max(last_word, process.heard_ns);
    }
    DeathSeen death{member.rank, member.process};
    if (last_word != kNoTime && dead.last_ns != kNoTime) death.silent_ns = last_word - dead.last_ns;
    return death;
  }

  int32_t rank_on(uint32_t actor, uint32_t communicator) const {
    const CommunicatorRow& comm = run_.communicators[communicator];
    for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
      if (graph_.actors().of_member(i) == actor) return run_.members[i].rank;
    }
    return -1;
  }

  // Their ranks on the communicator of the finding; those who have none there go elsewhere.
  std::vector<int32_t> accuse(const std::vector<uint32_t>& actors) {
    std::vector<int32_t> ranks;
    for (const uint32_t actor : actors) {
      const int32_t rank = rank_on(actor, stall_.communicator);
      const uint32_t member = rank >= 0 ? kNoRow : largest_member(actor);
      if (rank >= 0) ranks.push_back(rank);
      if (member != kNoRow) finding_.culprits_elsewhere.push_back(member);
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  uint32_t largest_member(uint32_t actor) const {
    uint32_t largest = kNoRow;
    for (uint32_t i = 0; i < run_.members.size(); ++i) {
      if (graph_.actors().of_member(i) != actor) continue;
      if (largest == kNoRow || ranks_beside(i) > ranks_beside(largest)) largest = i;
    }
    return largest;
  }
  int32_t ranks_beside(uint32_t member) const {
    return run_.communicators[run_.members[member].communicator].nranks;
  }

  // Where somebody left the usual order of calls, the others only kept it.
  void deadlock() {
    std::vector<uint32_t> strays;
    for (const uint32_t actor : cause_.actors) {
      const std::vector<uint32_t>& heads = graph_.heads().of(actor);
      if (!heads.empty() && out_of_order(run_, heads.front())) strays.push_back(actor);
    }
    const std::vector<int32_t> culprits = accuse(strays.empty() ? cause_.actors : strays);
    for (const uint32_t stall : cause_.stalls)
      facts_.circle.push_back(graph_.stalls()[stall].operation);
    facts_.one_of = strays.empty();
    facts_.held.clear();
    conclude(FindingKind::Deadlock, StallClue::Circle, culprits,
             (strays.empty() ? 0.9 : 0.95) * stall_confidence() / 0.95);
  }

  // Ranks that called different operations, or passed different values to one.
  bool disagreement() {
    const PassedValues passed = passed_values(run_, stall_);
    if (passed.groups.size() < 2) return false;
    for (const PassedValues::Group& group : passed.groups)
      finding_.evidence.emplace_back(ValuesPassed{group.ranks, group.operation, passed.bytes_only});
    size_t most = 0;
    for (const PassedValues::Group& group : passed.groups)
      most = std::max(most, group.ranks.size());
    std::vector<const PassedValues::Group*> largest;
    for (const PassedValues::Group& group : passed.groups) {
      if (group.ranks.size() == most) largest.push_back(&group);
    }
    const PassedValues::Group* right = largest.size() == 1 ? largest.front() : nullptr;
    const bool tie = right == nullptr;
    if (tie) {
      const auto usual = usual_group(run_, stall_, passed);
      if (usual.has_value()) right = &passed.groups[*usual];
      if (right != nullptr) finding_.evidence.emplace_back(UsualCall{right->ranks});
    }
    std::vector<int32_t> culprits;
    for (const PassedValues::Group& group : passed.groups) {
      if (&group != right) culprits.insert(culprits.end(), group.ranks.begin(), group.ranks.end());
    }
    std::sort(culprits.begin(), culprits.end());
    facts_.one_of = right == nullptr;
    const double confidence = right == nullptr ? 0.6 : tie ? 0.85 : 0.95;
    if (stall_.disputed) {
      wrong_order(right, culprits, confidence);
    } else {
      conclude(FindingKind::Mismatch,
               right == nullptr ? StallClue::NoCommonValues : StallClue::OtherValues, culprits,
               confidence);
    }
    return true;
  }

  void wrong_order(const PassedValues::Group* right, const std::vector<int32_t>& culprits,
                   double confidence) {
    // The text speaks of what should have been called.
    if (right != nullptr) {
      facts_.operation = right->operation;
      finding_.func = run_.operations[right->operation].func;
      finding_.ordinal = run_.operations[right->operation].ordinal;
    }
    const Text expected = run_.operations[facts_.operation].func;
    std::vector<int32_t> inside;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow) continue;
      if (run_.operations[member.operation].func == expected) {
        if (std::find(culprits.begin(), culprits.end(), member.rank) == culprits.end() ||
            right == nullptr)
          inside.push_back(member.rank);
        continue;
      }
      facts_.other = member.operation;
      facts_.named.push_back(member.rank);
      finding_.evidence.emplace_back(OtherCall{member.rank, member.operation, facts_.operation});
    }
    finding_.ranks = inside_ = inside;
    conclude(FindingKind::WrongOrder, StallClue::OtherCall, culprits, confidence);
  }

  bool early_abort() {
    if (!stall_.one_clock) return false;
    int64_t first = kNoTime, second = kNoTime;
    int32_t rank = -1;
    for (const StallMember& member : stall_.members) {
      if (member.finalize_ns == kNoTime) continue;
      if (first == kNoTime || member.finalize_ns < first) {
        second = first;
        first = member.finalize_ns;
        rank = member.rank;
      } else if (second == kNoTime || member.finalize_ns < second) {
        second = member.finalize_ns;
      }
    }
    if (first == kNoTime || second == kNoTime) return false;
    const int64_t ahead = second - first;
    if (ahead < std::max<int64_t>(500'000'000, 20 * stall_.typical_ns)) return false;
    finding_.evidence.emplace_back(EarlyFinalize{rank, ahead});
    conclude(FindingKind::Aborted, StallClue::GaveUp, {rank}, 0.9);
    return true;
  }

  // Unknown is not guilty; a kernel that never began is, whatever the others do.
  bool unrecorded_ranks() {
    if (not_recorded_.empty() || inside_.empty() || some_began()) return false;
    if (stall_confidence() < 0.8) return true;
    facts_.named = not_recorded_;
    conclude(FindingKind::MissingRank, StallClue::NotRecorded, {}, 0.4);
    return true;
  }

  bool some_began() const {
    const auto stands = [&](Stand stand) {
      return std::any_of(stall_.members.begin(), stall_.members.end(),
                         [&](const StallMember& member) { return member.stand == stand; });
    };
    return stands(Stand::Inside) && stands(Stand::NotBegun);
  }

  void everybody_inside() {
    // A job that is killed or leaves without destroying its communicators ends with its last
    // operation open.
    if (stall_.by_calls) return;
    if (stall_confidence() < 0.8 || stall_.seconds < kShortestStallS) {
      if (!stall_.running && !inside_.empty()) add_gap(NotKnownKind::InProgress);
      return;
    }
    const TransportVerdict transport = judge_transport(run_, stall_);
    finding_.evidence.insert(finding_.evidence.end(), transport.evidence.begin(),
                             transport.evidence.end());
    if (transport.not_known.has_value()) add_gap(*transport.not_known);
    facts_.peer = transport.peer;
    conclude(transport.kind, transport.clue, transport.culprits,
             transport.confidence * stall_confidence() / 0.95);
  }

  const RunTables& run_;
  const WaitGraph& graph_;
  const HangCause& cause_;
  const Stall& stall_;
  std::vector<int32_t> inside_, not_recorded_;
  Finding finding_;
  StallFacts facts_;
  Verdict verdict_;
};

}  // namespace

Verdict judge_cause(const RunTables& run, const WaitGraph& graph, const HangCause& cause,
                    const Stall& stall) {
  return CauseJudge(run, graph, cause, stall).judge();
}

}  // namespace lockstep::analysis
