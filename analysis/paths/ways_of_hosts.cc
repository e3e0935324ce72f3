#include "analysis/paths/ways_of_hosts.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

Text host_of(const RunTables& run, const OwnSegments& own, uint32_t actor) {
  return run.processes[own.actors[actor].process].host;
}

struct Way {
  Text from = 0, to = 0;  // 0: it is none from one host to another
};
// By what the sender's end or the network shows: what a receiver is slow to take is no way of its host.
Way way_of(const RunTables& run, const OwnSegments& own, const SlowPart& part) {
  if (part.both_ways ||
      (!is_by_ends(part.side) && part.side != SlowSide::Link && part.side != SlowSide::Way))
    return {};
  const Text from = host_of(run, own, part.actors.front());
  if (part.peer_host != 0) return {from, part.peer_host};
  if (part.peer != kNoRow) return {from, host_of(run, own, part.peer)};
  const auto other = std::find_if(part.actors.begin(), part.actors.end(),
                                  [&](uint32_t actor) { return host_of(run, own, actor) != from; });
  return part.both_ends && other != part.actors.end() ? Way{from, host_of(run, own, *other)}
                                                      : Way();
}

Text common_host(const Way& a, const Way& b) {
  if (a.from == a.to || b.from == b.to) return 0;
  if (a.from == b.from || a.from == b.to) return a.from;
  return a.to == b.from || a.to == b.to ? a.to : Text{0};
}

bool are_same(const Way& a, const Way& b) { return a.from == b.from && a.to == b.to; }
bool are_opposite(const Way& a, const Way& b) { return a.from == b.to && a.to == b.from; }

// Several edges between the same two hosts are the way from one to the other, or what both exchange.
void join_between_two(const Way& way, const Way& its, const SlowPart& other, SlowPart* part) {
  part->both_ends = part->both_ends || other.both_ends || are_opposite(way, its);
  part->peer_host = part->both_ends ? 0 : way.to;
  part->actors.insert(part->actors.end(), other.actors.begin(), other.actors.end());
  std::sort(part->actors.begin(), part->actors.end());
  part->actors.erase(std::unique(part->actors.begin(), part->actors.end()), part->actors.end());
}

}  // namespace

bool has_ranks_elsewhere(const RunTables& run, Text host) {
  return std::any_of(run.processes.begin(), run.processes.end(),
                     [&](const ProcessRow& process) { return process.host != host; });
}

std::vector<uint32_t> actors_on(const RunTables& run, const OwnSegments& own, Text host) {
  std::vector<uint32_t> actors;
  for (uint32_t i = 0; i < own.actors.size(); ++i) {
    if (host_of(run, own, i) == host) actors.push_back(i);
  }
  return actors;
}

void join_ways_of_hosts(const RunTables& run, const OwnSegments& own,
                        std::vector<SlowPart>* parts) {
  for (size_t i = 0; i < parts->size(); ++i) {
    for (size_t j = i + 1; j < parts->size(); ++j) {
      SlowPart& part = (*parts)[i];
      const SlowPart& other = (*parts)[j];
      const Way way = way_of(run, own, part), its = way_of(run, own, other);
      const Text host = common_host(way, its);
      if (host == 0) continue;
      part.gain_ns += other.gain_ns;
      part.sure = part.sure && other.sure;
      part.steady = part.steady && other.steady;
      part.side = SlowSide::SenderOrLink;
      part.peer = kNoRow;
      if (are_same(way, its) || are_opposite(way, its)) {
        join_between_two(way, its, other, &part);
      } else {
        part.host = true;
        part.peer_host = 0;
        part.both_ends = false;
        part.actors = actors_on(run, own, host);
      }
      part.excesses.insert(part.excesses.end(), other.excesses.begin(), other.excesses.end());
      parts->erase(parts->begin() + static_cast<ptrdiff_t>(j--));
    }
  }
}

}  // namespace lockstep::analysis
