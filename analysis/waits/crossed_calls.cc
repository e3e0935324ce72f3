#include "analysis/waits/crossed_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/waits/components.h"

namespace lockstep::analysis {
namespace {

// A process that is ahead of its GPU makes at most so many more calls after one that will not end.
constexpr size_t kCallsAhead = 512;

class CallsInTurn {
 public:
  CallsInTurn(const RunTables& run, const Actors& actors, const std::vector<bool>& ends_known)
      : run_(run), actors_(actors), ends_known_(ends_known) {}

  std::vector<bool> crossed() {
    std::vector<bool> crossed(run_.operations.size());
    if (std::find(ends_known_.begin(), ends_known_.end(), false) == ends_known_.end())
      return crossed;
    edges_.resize(run_.matches.size());
    add_calls();
    const std::vector<uint32_t> component = components_of(edges_);
    std::vector<uint32_t> size(component.size());
    for (const uint32_t number : component) ++size[number];
    std::vector<size_t> calls(actors_.size());
    for (size_t i = run_.operations.size(); i-- > 0;) {
      if (!counts(run_.operations[i])) continue;
      const bool in_circle = size[component[run_.operations[i].match]] > 1;
      if (in_circle && calls[actors_.of_operation(run_.operations[i])] >= kCallsAhead)
        return std::vector<bool>(crossed.size());
      ++calls[actors_.of_operation(run_.operations[i])];
      crossed[i] = in_circle;
    }
    return crossed;
  }

 private:
  // The calls of one rank on one stream: the last ones that come together, and what leads to them.
  struct Turn {
    uint64_t group_id = 0;
    uint32_t before = kNoRow;  // node
    std::vector<uint32_t> matches;
  };

  // A send or receive may end before the other side comes, as long as what it moves fits into buffers.
  bool counts(const OperationRow& row) const {
    return row.position != kNoRow && row.match != kNoRow && !ends_known_[row.communicator] &&
           actors_.of_operation(row) != kNoRow;
  }

  void add_calls() {
    std::map<std::pair<uint32_t, uint64_t>, Turn> turns;  // by actor and stream
    for (const OperationRow& row : run_.operations) {
      if (!counts(row)) continue;
      Turn& turn = turns[{actors_.of_operation(row), row.stream}];
      const bool together =
          !turn.matches.empty() && row.group_id != 0 && row.group_id == turn.group_id;
      if (!together) begin_turn(row.group_id, &turn);
      if (turn.before != kNoRow) add_edge(turn.before, row.match);
      turn.matches.push_back(row.match);
    }
  }

  // All calls of a group end together, in whatever order they stand in it.
  void begin_turn(uint64_t group_id, Turn* turn) {
    turn->group_id = group_id;
    if (turn->matches.size() == 1) turn->before = turn->matches.front();
    if (turn->matches.size() > 1) {
      turn->before = static_cast<uint32_t>(edges_.size());
      edges_.emplace_back();
      for (const uint32_t match : turn->matches) add_edge(match, turn->before);
    }
    turn->matches.clear();
  }

  // Most ranks call the same next, one rank after the other here.
  void add_edge(uint32_t from, uint32_t to) {
    if (edges_[from].empty() || edges_[from].back() != to) edges_[from].push_back(to);
  }

  const RunTables& run_;
  const Actors& actors_;
  const std::vector<bool>& ends_known_;       // by communicator
  std::vector<std::vector<uint32_t>> edges_;  // by match, then joins of group calls
};

}  // namespace

std::vector<bool> crossed_calls(const RunTables& run, const Actors& actors,
                                const std::vector<bool>& ends_known) {
  return CallsInTurn(run, actors, ends_known).crossed();
}

}  // namespace lockstep::analysis
