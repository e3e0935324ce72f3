#include "analysis/say/names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/say/words.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kFewRanks = 4, kFewHosts = 4;

// "rank 3", "world ranks 8 and 9": of places that all have a rank, or all have none.
std::string named(const std::vector<Place>& places) {
  const bool in_world = places.front().rank < 0;
  std::vector<int32_t> ranks;
  for (const Place& place : places) ranks.push_back(in_world ? place.world_rank : place.rank);
  return (in_world && places.front().world_rank >= 0 ? "world " : "") + rank_list(ranks);
}

// "is world rank 5, pid 4711 on node7": of ranks of one host.
std::string identity_of(const RunTables& run, const std::vector<Place>& places) {
  std::vector<std::string> pids, world_ranks, gpus;
  bool other_numbers = false;
  for (const Place& place : places) {
    pids.push_back(std::to_string(run.processes[place.process].pid));
    other_numbers = other_numbers ||
                    (place.rank >= 0 && place.world_rank >= 0 && place.world_rank != place.rank);
    world_ranks.push_back(place.world_rank >= 0 ? std::to_string(place.world_rank) : "?");
    if (place.gpu != 0) gpus.push_back(run.text(place.gpu));
  }
  const bool one = places.size() == 1;
  std::string text = one ? " is " : " are ";
  if (other_numbers) text += (one ? "world rank " : "world ranks ") + listed(world_ranks) + ", ";
  text += (one ? "pid " : "pids ") + listed(pids) + " on " +
          run.text(run.processes[places.front().process].host);
  if (gpus.size() == places.size()) text += ", " + listed(gpus);
  return text;
}

}  // namespace

std::string rank_name(int32_t rank) {
  return rank < 0 ? "a rank of unknown number" : "rank " + std::to_string(rank);
}

std::string rank_list(const std::vector<int32_t>& ranks) {
  constexpr size_t kShown = 16, kMost = 20;
  std::vector<std::string> items;
  for (const int32_t rank : ranks) {
    if (rank >= 0) items.push_back(std::to_string(rank));
  }
  const size_t known = items.size(), unknown = ranks.size() - known;
  if (known > kMost) {
    items.resize(kShown);
    items.push_back(std::to_string(known - kShown) + " more");
  }
  if (known == 0)
    return unknown == 1 ? rank_name(-1) : counted(unknown, "rank") + " of unknown number";
  if (unknown != 0) items.push_back(std::to_string(unknown) + " of unknown number");
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(items);
}

std::string operation_name(const RunTables& run, const OperationRow& row) {
  std::string name = run.text(row.func) + " #" + std::to_string(row.ordinal);
  if (row.replay != 0) name += " replay " + std::to_string(row.replay);
  return name;
}

std::string operation_on(const RunTables& run, uint32_t operation) {
  const OperationRow& row = run.operations[operation];
  std::string name = operation_name(run, row);
  if (row.kind == OpKind::PointToPoint && row.peer >= 0)
    name += (run.text(row.func) == "Recv" ? " from " : " to ") + rank_name(row.peer);
  return name + " on " + communicator_label(run, row.communicator);
}

std::string where_they_run(const RunTables& run, const std::vector<Place>& places) {
  using Key = std::pair<Text, bool>;  // host, has a rank
  std::vector<Key> keys;              // in the order of the ranks
  std::map<Key, std::vector<Place>> by_host;
  for (const Place& place : places) {
    const Key key{run.processes[place.process].host, place.rank >= 0};
    if (by_host[key].empty()) keys.push_back(key);
    by_host[key].push_back(place);
  }
  std::string text;
  for (size_t i = 0; i < keys.size() && i < kFewHosts; ++i) {
    const std::vector<Place>& here = by_host[keys[i]];
    text += (i == 0 ? "" : "; ") + named(here);
    text += places.size() <= kFewRanks
                ? identity_of(run, here)
                : (here.size() == 1 ? " runs on " : " run on ") + run.text(keys[i].first);
  }
  if (keys.size() > kFewHosts)
    text += "; the others run on " + counted(keys.size() - kFewHosts, "more host");
  return text.empty() ? text : capitalized(text) + ".";
}

}  // namespace lockstep::analysis
