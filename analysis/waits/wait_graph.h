// Who waits for whom: an edge from each rank to the operations it stands in, and from each of those
// to the ranks that have not entered it. What nothing leads out of causes the hang: a rank that waits
// in no operation, an operation that everybody has entered, or a circle of both. Everything that
// leads there is its consequence. Works on whatever part of the ranks was recorded: the others are
// unknown, not guilty. Built once by judge_hangs(), linear in operations and edges; then only read.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/waits/actors.h"
#include "analysis/waits/fates.h"
#include "analysis/waits/heads.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

struct HangCause {
  std::vector<uint32_t> actors;   // that hold up the others
  std::vector<uint32_t> stalls;   // that they stand in: none = outside NCCL; of a circle: all
  std::vector<uint32_t> blocked;  // stalls that wait for its actors themselves
  std::vector<uint32_t> waiting;  // all that it is the nearest cause of, the nearest first
  bool circle = false;
};

class WaitGraph {
 public:
  explicit WaitGraph(const RunTables& run);

  const Actors& actors() const { return actors_; }
  const Heads& heads() const { return heads_; }
  const Fates& fates() const { return fates_; }
  const std::vector<Stall>& stalls() const { return stalls_; }
  // Those that somebody waits for.
  std::vector<HangCause> causes() const;

 private:
  using Node = uint32_t;  // actors, then stalls
  bool holds_up(const Stall& stall, const StallMember& member) const;
  void follow_groups(const RunTables& run, const std::unordered_map<uint32_t, Node>& stall_of);
  void follow_lost(const RunTables& run);
  std::optional<uint32_t> who_came_out_of_turn(const Stall& stall) const;
  void free_who_came_out_of_turn();
  void add_waiting(std::vector<HangCause>* causes, const std::vector<uint32_t>& cause_of) const;

  Actors actors_;
  Heads heads_;
  Fates fates_;
  std::vector<Stall> stalls_;
  std::vector<std::vector<Node>> waits_for_;  // by node
};

}  // namespace lockstep::analysis
