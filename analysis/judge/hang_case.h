// One cause of a hang while it is judged: who is inside the operation that stands still, how sure that
// is, and the finding in the making. verdict.cc, absence.cc and disagreement.cc fill it, one after the
// other, from one thread; it reads the tables and the graph and changes neither.
#pragma once

#include <optional>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/not_known.h"
#include "analysis/waits/wait_graph.h"

namespace lockstep::analysis {

class HangCase {
 public:
  HangCase(const RunTables& run, const WaitGraph& graph, const HangCause& cause,
           const Stall& stall);

  const RunTables& run;
  const WaitGraph& graph;
  const HangCause& cause;
  const Stall& stall;  // that the cause is judged by
  std::vector<int32_t> inside, not_recorded;
  Finding finding;
  StallFacts facts;  // of it
  std::vector<NotKnown> not_known;

  // How sure it is that time really stood still, from how long against what is usual.
  double stall_confidence() const;
  bool is_culprit(const StallMember& member) const;
  // The actors' ranks on the communicator of the stall, sorted; those who have none there become
  // culprits_elsewhere.
  std::vector<int32_t> accuse(const std::vector<uint32_t>& actors);
  // -1 where it has none.
  int32_t rank_on(uint32_t actor, uint32_t communicator) const;
  NotKnown& add_gap(NotKnownKind kind);
  // facts.named is who the clue is about, where not the culprits; culprits are those who are accused
  // for it.
  void conclude(FindingKind kind, StallClue clue, std::vector<int32_t> culprits, double confidence);
  bool concluded() const { return concluded_; }

 private:
  void note_members();
  uint32_t largest_member(uint32_t actor) const;
  int32_t ranks_beside(uint32_t member) const;

  bool concluded_ = false;
};

// Of a finding about a hang: more than where data stands still.
bool names_who(const Finding& hang);

}  // namespace lockstep::analysis
