#include "analysis/paths/part_candidates.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/paths/ways_of_hosts.h"

namespace lockstep::analysis {

Text PartCandidates::host_of(uint32_t actor) const {
  return run_.processes[own_.actors[actor].process].host;
}

std::vector<PartCandidate> PartCandidates::all() const {
  std::map<std::pair<uint32_t, uint32_t>, PartCandidate> edges;
  std::map<uint32_t, PartCandidate> ranks;
  std::map<std::pair<Text, Text>, PartCandidate> ways;
  std::map<Text, PartCandidate> hosts;
  for (uint32_t i = 0; i < excesses_.size(); ++i) {
    if (cured_[i] != 0) continue;
    const TransferExcess& excess = excesses_[i];
    if (excess.side != SlowSide::Anybody && excess.side != SlowSide::Gpu) {
      PartCandidate& edge = edges[{excess.actors[0], excess.actors[1]}];
      edge.actor = excess.actors[0];
      edge.peer = excess.actors[1];
      add(i, &edge);
      PartCandidate& way = ways[{host_of(edge.actor), host_of(edge.peer)}];
      way.size = PartSize::Way;
      way.host = host_of(edge.actor);
      way.to = host_of(edge.peer);
      add(i, &way);
    }
    std::set<Text> of_hosts;
    for (const uint32_t actor : excess.actors) {
      PartCandidate& rank = ranks[actor];
      rank.size = PartSize::Rank;
      rank.actor = actor;
      add(i, &rank);
      of_hosts.insert(host_of(actor));
    }
    for (const Text name : of_hosts) {
      PartCandidate& host = hosts[name];
      host.size = PartSize::Host;
      host.host = name;
      add(i, &host);
    }
  }
  std::vector<PartCandidate> all;
  for (auto& [key, one] : edges) all.push_back(std::move(one));
  for (auto& [key, one] : ranks) all.push_back(std::move(one));
  for (auto& [key, one] : ways) {
    if (one.host != one.to && has_several_edges(one)) all.push_back(std::move(one));
  }
  for (auto& [key, one] : hosts)
    if (has_ranks_elsewhere(run_, one.host)) all.push_back(std::move(one));
  return all;
}

bool PartCandidates::has_several_edges(const PartCandidate& way) const {
  return std::any_of(way.excesses.begin(), way.excesses.end(), [&](uint32_t i) {
    return excesses_[i].actors != excesses_[way.excesses.front()].actors;
  });
}

std::vector<PartCandidate> PartCandidates::pairs(PartSize size) const {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<PartCandidate, unsigned>> pairs;
  for (uint32_t i = 0; i < excesses_.size(); ++i) {
    const TransferExcess& excess = excesses_[i];
    if (cured_[i] != 0 || excess.actors.size() != 2 || excess.side == SlowSide::Anybody) continue;
    const uint32_t from = excess.actors[0], to = excess.actors[1];
    const bool hosts = size == PartSize::Pairs;
    const std::pair<uint32_t, uint32_t> ends =
        std::minmax(hosts ? host_of(from) : from, hosts ? host_of(to) : to);
    auto& [pair, directions] = pairs[ends];
    pair.size = size;
    if (hosts)
      pair.host = ends.first, pair.to = ends.second;
    else
      pair.actor = ends.first, pair.peer = ends.second;
    directions |= (hosts ? host_of(from) : from) == ends.first ? 1u : 2u;
    add(i, &pair);
  }
  std::vector<PartCandidate> all;
  for (auto& [ends, pair] : pairs) {
    if (pair.second == 3 && ends.first != ends.second) all.push_back(std::move(pair.first));
  }
  return all;
}

void PartCandidates::add(uint32_t i, PartCandidate* candidate) const {
  if (!candidate->excesses.empty() && candidate->excesses.back() == i) return;
  candidate->excesses.push_back(i);
  candidate->at_most_ns += all_ns(excesses_[i]);
}

}  // namespace lockstep::analysis
