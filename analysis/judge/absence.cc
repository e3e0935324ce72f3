#include "analysis/judge/absence.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

class AbsenceJudge {
 public:
  explicit AbsenceJudge(HangCase* one) : case_(*one), run_(one->run), fates_(one->graph.fates()) {}

  void judge() {
    const Fate fate = fates_.of(case_.graph.actors().process_of(case_.cause.actors.front()));
    double confidence = fate == Fate::Sound ? case_.stall_confidence() : 0.95;
    // Ranks call ahead of each other as far as their streams are deep.
    if (fate == Fate::Sound && case_.stall.by_calls && confidence < 0.8) return;
    for (const StallMember& member : case_.stall.members) {
      if (case_.is_culprit(member)) confidence *= add_absence(fate, member);
    }
    const std::vector<int32_t> named = case_.accuse(case_.cause.actors);
    // Who waits for it there is not recorded.
    if (named.empty() && case_.stall.by_calls) confidence = std::min(confidence, 0.8);
    switch (fate) {
      case Fate::Dead:
        return case_.conclude(FindingKind::DeadProcess, StallClue::Died, named, confidence);
      case Fate::Stopped:
        return case_.conclude(FindingKind::MissingRank, StallClue::Stopped, named, confidence);
      case Fate::Silent:
        return case_.conclude(FindingKind::DeadProcess, StallClue::Silent, named, confidence);
      case Fate::Behind:
        case_.facts.named = named;
        return case_.conclude(FindingKind::MissingRank, StallClue::Behind, {}, 0.4);
      case Fate::Sound:
        case_.facts.too_soon = confidence <= 0.4;
        return case_.conclude(FindingKind::MissingRank, StallClue::NeverCalled, named, confidence);
    }
  }

 private:
  // Evidence of why a member is not there; what it leaves of the confidence.
  double add_absence(Fate fate, const StallMember& member) {
    const ProcessRow& process = run_.processes[member.process];
    if (still_runs(process.life) && process.life != Life::Running)
      case_.finding.evidence.emplace_back(HaltSeen{member.rank, member.process});
    switch (fate) {
      case Fate::Dead:
        case_.finding.evidence.emplace_back(death_of(member));
        return 1;
      case Fate::Silent:
        case_.finding.evidence.emplace_back(
            SilenceSeen{member.rank, member.process, fates_.silent_ns(member.process)});
        return 1;
      case Fate::Behind: {
        NotKnown& gap = case_.add_gap(NotKnownKind::RecordingBehind);
        gap.operation = fates_.ended_without(member.process);
        gap.communicator = run_.operations[gap.operation].communicator;
        gap.ranks = {case_.rank_on(member.actor, gap.communicator)};
        return 1;
      }
      case Fate::Stopped:
        return 1;
      case Fate::Sound:
        break;
    }
    case_.finding.evidence.emplace_back(NeverCalled{member.rank, member.last_operation});
    if (process.lost == 0) return 1;
    NotKnown& gap = case_.add_gap(NotKnownKind::CallsLost);
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

  HangCase& case_;
  const RunTables& run_;
  const Fates& fates_;
};

}  // namespace

void judge_absence(HangCase* one) { AbsenceJudge(one).judge(); }

}  // namespace lockstep::analysis
