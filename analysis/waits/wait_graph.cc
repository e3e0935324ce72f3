#include "analysis/waits/wait_graph.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/waits/components.h"
#include "analysis/waits/passed_values.h"

namespace lockstep::analysis {
WaitGraph::WaitGraph(const RunTables& run)
    : actors_(run),
      heads_(run, actors_),
      fates_(run, actors_, heads_),
      stalls_(find_stalls(run, actors_, heads_)) {
  std::unordered_map<uint32_t, Node> stall_of;  // by row of `operations`
  for (size_t i = 0; i < stalls_.size(); ++i) {
    for (const StallMember& member : stalls_[i].members) {
      if (member.operation != kNoRow)
        stall_of[member.operation] = actors_.size() + static_cast<Node>(i);
    }
  }
  waits_for_.resize(actors_.size() + stalls_.size());
  for (uint32_t actor = 0; actor < actors_.size(); ++actor) {
    if (fates_.of(actors_.process_of(actor)) != Fate::Sound) continue;
    for (const uint32_t head : heads_.of(actor)) {
      const auto stall = stall_of.find(head);
      if (stall != stall_of.end()) waits_for_[actor].push_back(stall->second);
    }
  }
  for (size_t i = 0; i < stalls_.size(); ++i) {
    // Ranks that disagree wait for each other inside, whoever comes besides.
    if (stalls_[i].disputed || passed_values(run, stalls_[i]).groups.size() > 1) continue;
    for (const StallMember& member : stalls_[i].members) {
      if (holds_up(stalls_[i], member)) waits_for_[actors_.size() + i].push_back(member.actor);
    }
  }
  follow_groups(run, stall_of);
  free_who_came_out_of_turn();
  follow_lost(run);
}

// A rank that came alone to an operation that most others did not come to, while one of these waits for it in another. Two
// ranks that keep one order of calls cannot wait for each other like this.
std::optional<uint32_t> WaitGraph::who_came_out_of_turn(const Stall& stall) const {
  std::vector<uint32_t> came, missing;
  for (const StallMember& member : stall.members) {
    if (member.operation != kNoRow) came.push_back(member.actor);
    if (member.stand == Stand::Missing) missing.push_back(member.actor);
  }
  if (came.size() != 1 || 2 * missing.size() <= stall.members.size()) return std::nullopt;
  const auto lacks_it = [&](const StallMember& member) {
    return member.actor == came.front() && member.stand == Stand::Missing;
  };
  const auto waits = [&](const StallMember& member) {
    return member.operation != kNoRow &&
           std::count(missing.begin(), missing.end(), member.actor) != 0;
  };
  const bool awaited = std::any_of(stalls_.begin(), stalls_.end(), [&](const Stall& other) {
    return std::any_of(other.members.begin(), other.members.end(), lacks_it) &&
           std::any_of(other.members.begin(), other.members.end(), waits);
  });
  return awaited ? std::optional(came.front()) : std::nullopt;
}

// Where only calls are known, nothing tells that the others wait for it, too. So it is taken to wait for nobody.
void WaitGraph::free_who_came_out_of_turn() {
  for (size_t i = 0; i < stalls_.size(); ++i) {
    if (heads_.ends_known(stalls_[i].communicator)) continue;
    const std::optional<uint32_t> who = who_came_out_of_turn(stalls_[i]);
    if (!who) continue;
    waits_for_[*who].clear();
    waits_for_[actors_.size() + i] = {*who};
  }
}

// Where only calls are known, a rank that calls no more may wait for its GPU, and that for a process of the same communicator
// that is gone: nothing else is known to hold it up. Whoever waits for the one then waits for the other.
void WaitGraph::follow_lost(const RunTables& run) {
  std::unordered_map<uint32_t, Node> lost_in;  // by communicator
  for (uint32_t i = 0; i < run.members.size(); ++i) {
    const uint32_t actor = actors_.of_member(i), communicator = run.members[i].communicator;
    if (actor != kNoRow && !heads_.ends_known(communicator) &&
        fates_.is_gone(actors_.process_of(actor)))
      lost_in.emplace(communicator, actor);
  }
  if (lost_in.empty()) return;
  std::vector<Node> held_up_by(actors_.size(), kNoRow);
  for (uint32_t i = 0; i < run.members.size(); ++i) {
    const uint32_t actor = actors_.of_member(i);
    const auto lost = lost_in.find(run.members[i].communicator);
    if (actor == kNoRow || lost == lost_in.end() || !waits_for_[actor].empty() ||
        fates_.of(actors_.process_of(actor)) != Fate::Sound)
      continue;
    held_up_by[actor] = lost->second;
  }
  for (Node stall = actors_.size(); stall < waits_for_.size(); ++stall) {
    std::vector<Node>& awaited = waits_for_[stall];
    for (size_t i = 0, all = awaited.size(); i < all; ++i) {
      const Node lost = awaited[i] < actors_.size() ? held_up_by[awaited[i]] : kNoRow;
      if (lost != kNoRow) awaited.push_back(lost);
    }
  }
  for (Node actor = 0; actor < actors_.size(); ++actor)
    if (held_up_by[actor] != kNoRow) waits_for_[actor].push_back(held_up_by[actor]);
}

// The operations of a group call are one kernel, which ends with the last of them. So one that all its
// ranks have entered has not ended because another one of the group lacks somebody, unless a kernel of
// its own has not begun or data of its own is known to be on the way.
void WaitGraph::follow_groups(const RunTables& run,
                              const std::unordered_map<uint32_t, Node>& stall_of) {
  std::vector<std::pair<Node, Node>> edges;
  for (size_t i = 0; i < stalls_.size(); ++i) {
    const Node node = actors_.size() + static_cast<Node>(i);
    const std::vector<StallMember>& members = stalls_[i].members;
    const bool stuck = std::any_of(members.begin(), members.end(), [&](const StallMember& one) {
      return one.stand == Stand::NotBegun ||
             (one.operation != kNoRow && run.operations[one.operation].proxy_ops_open != 0);
    });
    if (!waits_for_[node].empty() || stalls_[i].disputed || stuck) continue;
    for (const StallMember& member : members) {
      if (member.actor == kNoRow || member.operation == kNoRow) continue;
      const uint64_t group = run.operations[member.operation].group_id;
      for (const uint32_t head : heads_.of(member.actor)) {
        const auto other = stall_of.find(head);
        if (group != 0 && run.operations[head].group_id == group && other != stall_of.end() &&
            !waits_for_[other->second].empty())
          edges.emplace_back(node, other->second);
      }
    }
  }
  for (const auto& [from, to] : edges) waits_for_[from].push_back(to);
}

bool WaitGraph::holds_up(const Stall& stall, const StallMember& member) const {
  if (member.actor == kNoRow) return false;
  if (member.stand == Stand::Missing || member.stand == Stand::Queued) return true;
  return fates_.is_gone(member.process) && (member.stand != Stand::Passed || stall.pair);
}

std::vector<HangCause> WaitGraph::causes() const {
  const std::vector<uint32_t> component = components_of(waits_for_);
  std::vector<bool> leaves(waits_for_.size()), awaited(waits_for_.size());  // by component
  for (Node node = 0; node < waits_for_.size(); ++node) {
    for (const Node to : waits_for_[node]) {
      leaves[component[node]] = leaves[component[node]] || component[to] != component[node];
      awaited[component[to]] = true;
    }
  }
  std::vector<HangCause> causes;
  std::vector<uint32_t> cause_of(waits_for_.size(), kNoRow);  // by node
  std::unordered_map<uint32_t, uint32_t> number;              // component -> cause
  for (Node node = 0; node < waits_for_.size(); ++node) {
    if (leaves[component[node]] || !awaited[component[node]]) continue;
    const auto [at, is_new] =
        number.try_emplace(component[node], static_cast<uint32_t>(causes.size()));
    if (is_new) causes.emplace_back();
    HangCause& cause = causes[at->second];
    cause_of[node] = at->second;
    if (node < actors_.size())
      cause.actors.push_back(node);
    else
      cause.stalls.push_back(node - actors_.size());
    cause.circle = cause.actors.size() + cause.stalls.size() > 1;
  }
  add_waiting(&causes, cause_of);
  return causes;
}

// Each stall goes to the cause that is nearest to it, against the edges.
void WaitGraph::add_waiting(std::vector<HangCause>* causes,
                            const std::vector<uint32_t>& cause_of) const {
  std::vector<std::vector<Node>> held_by(waits_for_.size());
  for (Node node = 0; node < waits_for_.size(); ++node) {
    for (const Node to : waits_for_[node]) held_by[to].push_back(node);
  }
  std::vector<uint32_t> cause = cause_of;
  std::vector<Node> queue;
  for (Node node = 0; node < cause.size(); ++node) {
    if (cause[node] != kNoRow) queue.push_back(node);
  }
  for (const Node root : queue) {
    for (const Node node : held_by[root]) {
      if (node >= actors_.size() && cause[node] == kNoRow)
        (*causes)[cause[root]].blocked.push_back(node - actors_.size());
    }
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    for (const Node node : held_by[queue[i]]) {
      if (cause[node] != kNoRow) continue;
      cause[node] = cause[queue[i]];
      queue.push_back(node);
      if (node >= actors_.size()) (*causes)[cause[node]].waiting.push_back(node - actors_.size());
    }
  }
}

}  // namespace lockstep::analysis
