#include "analysis/judge/hang_case.h"

#include <algorithm>

#include "analysis/judge/standstill.h"

namespace lockstep::analysis {

HangCase::HangCase(const RunTables& tables, const WaitGraph& waits, const HangCause& of,
                   const Stall& by)
    : run(tables), graph(waits), cause(of), stall(by) {
  const OperationRow& expected = run.operations[stall.operation];
  finding.communicator = stall.communicator;
  finding.func = expected.func;
  finding.ordinal = expected.ordinal;
  finding.since_s = stall.seconds;
  facts.operation = stall.operation;
  facts.by_calls = stall.by_calls;
  note_members();
}

void HangCase::note_members() {
  std::vector<int32_t> killed;
  for (const StallMember& member : stall.members) {
    const bool culprit = is_culprit(member);
    if (member.process != kNoRow && graph.fates().killed_waiting(member.process) && !culprit)
      killed.push_back(member.rank);
    switch (member.stand) {
      case Stand::Inside:
      case Stand::NotBegun:
        if (culprit && !cause.circle) break;
        // The text is told from where somebody waits.
        if (inside.empty()) facts.operation = member.operation;
        inside.push_back(member.rank);
        break;
      case Stand::Missing:
        if (!culprit && graph.fates().of(member.process) == Fate::Sound)
          facts.held.push_back(member.rank);
        break;
      case Stand::NotRecorded:
        not_recorded.push_back(member.rank);
        break;
      default:
        break;
    }
  }
  finding.ranks = inside;
  if (!killed.empty()) finding.evidence.emplace_back(KilledWhileWaiting{killed});
}

double HangCase::stall_confidence() const {
  const double typical = std::max(1e-3, static_cast<double>(stall.typical_ns) * 1e-9);
  const double ratio = stall.seconds / typical;
  if (stall.by_calls) return (ratio >= 20 && stall.seconds >= 1) || stands_still(run) ? 0.8 : 0.4;
  if (ratio >= 20 && stall.seconds >= 1) return 0.95;
  return ratio >= 5 ? 0.8 : 0.4;
}

bool HangCase::is_culprit(const StallMember& member) const {
  return member.actor != kNoRow &&
         std::find(cause.actors.begin(), cause.actors.end(), member.actor) != cause.actors.end();
}

std::vector<int32_t> HangCase::accuse(const std::vector<uint32_t>& actors) {
  std::vector<int32_t> ranks;
  for (const uint32_t actor : actors) {
    const int32_t rank = rank_on(actor, stall.communicator);
    const uint32_t member = rank >= 0 ? kNoRow : largest_member(actor);
    if (rank >= 0) ranks.push_back(rank);
    if (member != kNoRow) finding.culprits_elsewhere.push_back(member);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

int32_t HangCase::rank_on(uint32_t actor, uint32_t communicator) const {
  const CommunicatorRow& comm = run.communicators[communicator];
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    if (graph.actors().of_member(i) == actor) return run.members[i].rank;
  }
  return -1;
}

uint32_t HangCase::largest_member(uint32_t actor) const {
  uint32_t largest = kNoRow;
  for (uint32_t i = 0; i < run.members.size(); ++i) {
    if (graph.actors().of_member(i) != actor) continue;
    if (largest == kNoRow || ranks_beside(i) > ranks_beside(largest)) largest = i;
  }
  return largest;
}

int32_t HangCase::ranks_beside(uint32_t member) const {
  return run.communicators[run.members[member].communicator].nranks;
}

NotKnown& HangCase::add_gap(NotKnownKind kind) {
  NotKnown& gap = not_known.emplace_back();
  gap.kind = kind;
  gap.communicator = stall.communicator;
  gap.operation = stall.operation;
  return gap;
}

void HangCase::conclude(FindingKind kind, StallClue clue, std::vector<int32_t> culprits,
                        double confidence) {
  finding.kind = kind;
  finding.culprits = std::move(culprits);
  finding.confidence = confidence;
  facts.clue = clue;
  facts.waiting = inside;
  if (facts.named.empty()) facts.named = finding.culprits;
  finding.facts = facts;
  concluded_ = true;
}

bool names_who(const Finding& hang) {
  const bool one_of = std::get<StallFacts>(hang.facts).one_of;
  return !hang.culprits.empty() && !(hang.kind == FindingKind::StuckInTransport && one_of);
}

}  // namespace lockstep::analysis
