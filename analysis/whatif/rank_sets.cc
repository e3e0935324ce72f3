#include "analysis/whatif/rank_sets.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockstep::analysis {
namespace {

// By actor: whether it waits for others by a clock that nothing connects with its own.
std::vector<uint8_t> find_unconnected(const RunTables& run, const OwnSegments& own) {
  std::vector<uint8_t> unconnected(own.actors.size());
  for (uint32_t a = 0; a < own.segments.size(); ++a) {
    const MatchRow& match = run.matches[run.arrivals[a].match];
    const uint32_t actor = own.segments[a].actor;
    if (actor != kNoRow && match.arrivals > 1 && match.comparable == 0) unconnected[actor] = 1;
  }
  return unconnected;
}

}  // namespace

std::vector<RankSet> sets_of_ranks(const RunTables& run, const OwnSegments& own,
                                   const std::vector<uint8_t>& active) {
  const auto all = static_cast<size_t>(active.size()) -
                   static_cast<size_t>(std::count(active.begin(), active.end(), uint8_t{0}));
  std::vector<RankSet> sets;
  std::set<std::vector<uint32_t>> known;
  const std::vector<uint8_t> unconnected = find_unconnected(run, own);
  const auto add = [&](std::vector<uint32_t> actors, bool host) {
    if (std::any_of(actors.begin(), actors.end(), [&](uint32_t i) { return unconnected[i] != 0; }))
      return;
    std::sort(actors.begin(), actors.end());
    actors.erase(std::unique(actors.begin(), actors.end()), actors.end());
    if (actors.size() > 1 && actors.size() * 2 <= all && known.insert(actors).second)
      sets.push_back({std::move(actors), host});
  };
  std::map<Text, std::vector<uint32_t>> hosts;
  for (uint32_t i = 0; i < own.actors.size(); ++i) {
    if (active[i] != 0) hosts[run.processes[own.actors[i].process].host].push_back(i);
  }
  for (auto& [host, actors] : hosts) add(std::move(actors), true);
  for (const CommunicatorRow& comm : run.communicators) {
    std::vector<uint32_t> actors;
    for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m) {
      const uint32_t actor = own.actor_of(run, run.members[m]);
      if (actor != kNoRow && active[actor] != 0) actors.push_back(actor);
    }
    add(std::move(actors), false);
  }
  return sets;
}

}  // namespace lockstep::analysis
