#include "analysis/whatif/rank_sets.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockstep::analysis {

std::vector<RankSet> sets_of_ranks(const RunTables& run, const OwnSegments& own,
                                   const std::vector<uint8_t>& active) {
  const auto all = static_cast<size_t>(active.size()) -
                   static_cast<size_t>(std::count(active.begin(), active.end(), uint8_t{0}));
  std::vector<RankSet> sets;
  std::set<std::vector<uint32_t>> known;
  const auto add = [&](std::vector<uint32_t> actors, bool host) {
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
