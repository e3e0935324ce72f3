#include "analysis/whatif/roles.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace lockstep::analysis {
namespace {

// A role knows its neighbours so far away: the stages of the longest pipelines.
constexpr int kRounds = 64;
// What a rank calls less often than this is no part of its role: checkpoints, logging.
constexpr double kLeastShareOfRole = 0.02;
// ... and which call follows which: of two stages that exchange the same, one sends first.
constexpr double kLeastShareOfPairs = 0.01;

uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15ULL;
  return digest ^ digest >> 29;
}

class RoleFinder {
 public:
  RoleFinder(const RunTables& run, const OwnSegments& own) : run_(run), own_(own) {}

  Roles find() {
    name_calls();
    find_roles();
    look_at_peers();
    return std::move(out_);
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  // How far up the peer of a send or receive is, the same along a ring and along a pipeline.
  uint32_t distance(const OperationRow& row) const {
    const int32_t ranks = run_.communicators[row.communicator].nranks;
    if (row.kind != OpKind::PointToPoint || row.peer < 0 || row.rank < 0 || ranks < 1) return 0;
    return static_cast<uint32_t>((row.peer - row.rank + ranks) % ranks);
  }

  void name_calls() {
    out_.call.resize(own_.segments.size());
    for (const uint32_t a : own_.order) {
      const OperationRow& row = operation(a);
      uint64_t call = mix(row.func, row.size_bytes);
      call = mix(call, static_cast<uint64_t>(run_.communicators[row.communicator].nranks));
      out_.call[a] = mix(call, distance(row));
    }
  }

  void find_roles() {
    out_.role.assign(own_.actors.size(), 0);
    for (size_t begin = 0, end = 0; begin < own_.order.size(); begin = end) {
      const uint32_t actor = own_.segments[own_.order[begin]].actor;
      while (end < own_.order.size() && own_.segments[own_.order[end]].actor == actor) ++end;
      out_.role[actor] = role_of(begin, end);
    }
  }
  // Of one rank's operations.
  uint64_t role_of(size_t begin, size_t end) const {
    std::unordered_map<uint64_t, size_t> calls, pairs;
    for (size_t i = begin; i < end; ++i) {
      const uint64_t call = out_.call[own_.order[i]];
      ++calls[call];
      // Calls of several threads follow each other by chance.
      if (i > begin && operation(own_.order[i]).tid == operation(own_.order[i - 1]).tid)
        ++pairs[mix(call, out_.call[own_.order[i - 1]])];
    }
    const auto all = static_cast<double>(end - begin);
    uint64_t role = 0;  // a sum: in whatever order
    for (const auto& [call, count] : calls) {
      if (static_cast<double>(count) >= kLeastShareOfRole * all) role += mix(call, 1);
    }
    for (const auto& [pair, count] : pairs) {
      if (static_cast<double>(count) >= kLeastShareOfPairs * all) role += mix(pair, 2);
    }
    return role;
  }

  // Until no round tells any two ranks apart that the one before had not.
  void look_at_peers() {
    const std::vector<std::set<std::pair<uint32_t, uint32_t>>> peers = find_peers();
    size_t known = 0;
    for (int round = 0; round < kRounds; ++round) {
      const size_t roles = std::unordered_set<uint64_t>(out_.role.begin(), out_.role.end()).size();
      if (roles == known) return;
      known = roles;
      std::vector<uint64_t> next;
      for (size_t actor = 0; actor < out_.role.size(); ++actor) {
        uint64_t sum = 0;
        for (const auto& [peer, distance] : peers[actor]) sum += mix(out_.role[peer], distance);
        next.push_back(mix(out_.role[actor], sum));
      }
      out_.role.swap(next);
    }
  }
  // Of each actor, with whom it exchanges sends and receives, and how far away that is.
  std::vector<std::set<std::pair<uint32_t, uint32_t>>> find_peers() const {
    std::vector<std::set<std::pair<uint32_t, uint32_t>>> peers(own_.actors.size());
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals != 2) continue;
      const uint32_t a = match.first_arrival, b = a + 1;
      if (operation(a).kind != OpKind::PointToPoint) continue;
      const uint32_t one = own_.segments[a].actor, other = own_.segments[b].actor;
      if (one == kNoRow || other == kNoRow || one == other) continue;
      peers[one].emplace(other, distance(operation(a)));
      peers[other].emplace(one, distance(operation(b)));
    }
    return peers;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  Roles out_;
};

}  // namespace

Roles find_roles(const RunTables& run, const OwnSegments& own) {
  return RoleFinder(run, own).find();
}

std::vector<uint64_t> positions_of(const OwnSegments& own, const Roles& roles, unsigned context) {
  std::vector<uint64_t> positions(roles.call.size());
  for (size_t i = 0; i < own.order.size(); ++i) {
    const uint32_t actor = own.segments[own.order[i]].actor;
    uint64_t position = mix(roles.role[actor], context);
    for (size_t back = 0; back < context && back <= i; ++back) {
      const uint32_t earlier = own.order[i - back];
      if (own.segments[earlier].actor != actor) break;
      position = mix(position, roles.call[earlier]);
    }
    positions[own.order[i]] = position;
  }
  return positions;
}

}  // namespace lockstep::analysis
