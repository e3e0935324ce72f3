#include "analysis/paths/chain_holder.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::analysis {
namespace {

// A rank that holds the data up ends this part of the transfer's time after the rank before it.
constexpr int64_t kPartHeld = 20;
// Most: this many of four.
constexpr size_t kMostOfFour = 3;

struct EndsOfHost {
  // When the ranks of the sender's host ended, and who they are, up to the sender. None where channels leave the host
  // at several ranks: each passes the others in an order of its own.
  std::vector<std::pair<int64_t, uint32_t>> ends;
  bool begins_here = true;  // nobody on another host ended before
};

EndsOfHost ends_up_to(const RunTables& run, const OwnSegments& own, uint32_t sender,
                      const MatchRow& match) {
  const Text host = run.processes[own.actors[sender].process].host;
  EndsOfHost chain;
  int64_t sender_ns = kNoTime, elsewhere_ns = kNoTime;
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    const OperationRow& row = run.operations[run.arrivals[a].operation];
    const uint32_t actor = own.segments[a].actor;
    if (actor == kNoRow || row.kernel_stop_ns == kNoTime) continue;
    if (actor == sender) sender_ns = row.kernel_stop_ns;
    if (run.processes[row.process].host == host) {
      if (row.send_peer != -1 && actor != sender) return {};
      chain.ends.emplace_back(row.kernel_stop_ns, actor);
    } else if (elsewhere_ns == kNoTime || row.kernel_stop_ns < elsewhere_ns)
      elsewhere_ns = row.kernel_stop_ns;
  }
  const auto not_before = [&](const auto& end) {
    return sender_ns == kNoTime || end.first > sender_ns;
  };
  chain.ends.erase(std::remove_if(chain.ends.begin(), chain.ends.end(), not_before),
                   chain.ends.end());
  std::sort(chain.ends.begin(), chain.ends.end());
  chain.begins_here =
      chain.ends.empty() || elsewhere_ns == kNoTime || chain.ends.front().first < elsewhere_ns;
  return chain;
}

// Where all end together and the data came from another host, its way there may be what is slow.
uint32_t holder_of(const EndsOfHost& chain, uint32_t sender, int64_t took_ns) {
  uint32_t holder = chain.begins_here ? chain.ends.front().second : sender;
  for (size_t i = 1; i < chain.ends.size(); ++i) {
    if ((chain.ends[i].first - chain.ends[i - 1].first) * kPartHeld >= took_ns)
      holder = chain.ends[i].second;
  }
  return holder;
}

}  // namespace

uint32_t holder_of_chains(const RunTables& run, const OwnSegments& own, uint32_t sender,
                          const std::vector<uint32_t>& matches, int64_t took_ns) {
  std::map<uint32_t, size_t> told;  // by actor, in how many
  size_t all = 0;
  for (const uint32_t m : matches) {
    const EndsOfHost chain = ends_up_to(run, own, sender, run.matches[m]);
    if (chain.ends.empty()) continue;
    ++told[holder_of(chain, sender, took_ns)];
    ++all;
  }
  for (const auto& [actor, count] : told) {
    if (4 * count >= kMostOfFour * all) return actor;
  }
  return sender;
}

}  // namespace lockstep::analysis
