#include "analysis/follow/roles.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analysis/follow/peers.h"
#include "analysis/follow/rhythm.h"

namespace lockstep::analysis {
namespace {

// A role knows its neighbours so far away: the stages of the longest pipelines.
constexpr int kRounds = 64;
// What a rank calls less often than this is no part of its role: checkpoints, logging.
constexpr double kLeastShareOfRole = 0.02;
// ... and which call follows which: of two stages that exchange the same, one sends first.
constexpr double kLeastShareOfPairs = 0.01;

// Of numbers, in whatever way these were made; another one for (b, a) than for (a, b).
uint64_t mix(uint64_t digest, uint64_t value) {
  digest = (digest * 3 ^ value) * 0x9e3779b97f4a7c15ULL;
  return digest ^ digest >> 29;
}

// Fewer calls do not tell whether sizes repeat.
constexpr size_t kFewestCalls = 16;
// What is done again is done more often: fewer times a backward pass alone repeats what its forward pass
// did, or an answer what its question did.
constexpr size_t kOftenEnough = 4;
// Ranks whose mean sizes are no further apart than this do the same.
constexpr double kSameSize = 1.1;

// Function, ranks, place of the peer.
using Kind = std::tuple<Text, int32_t, uint32_t>;
struct Line {                   // of one rank's calls of a kind on a communicator
  std::vector<uint64_t> sizes;  // in the order of the calls
  bool varies = false;
  uint32_t level = 0;
};

class Namer {
 public:
  Namer(const RunTables& run, const OwnSegments& own, const Peers& peers)
      : run_(run), own_(own), peers_(peers) {}

  std::vector<uint64_t> name() {
    line_of_.resize(own_.segments.size());
    for (const uint32_t a : own_.order) {
      line_of_[a] = &lines_[{kind_of(a), operation(a).communicator, own_.segments[a].actor}];
      line_of_[a]->sizes.push_back(operation(a).size_bytes);
    }
    find_what_varies();
    find_levels();
    std::vector<uint64_t> names(own_.segments.size());
    for (const uint32_t a : own_.order) names[a] = name_of(a);
    return names;
  }

 private:
  using Place = std::tuple<Kind, uint32_t, uint32_t>;  // kind, communicator, actor

  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  Kind kind_of(uint32_t arrival) const {
    const OperationRow& row = operation(arrival);
    return {row.func, run_.communicators[row.communicator].nranks, peers_.place_of(row)};
  }

  // However many sizes a training step has, in the next one each follows the same: so most pairs of
  // sizes in a row are seen again and again, but where sizes vary.
  void find_what_varies() {
    struct Pairs {
      size_t all = 0, seldom = 0;
    };
    std::map<std::pair<Kind, uint32_t>, Pairs> pairs;  // by kind and communicator
    for (const auto& [place, line] : lines_) {
      Pairs& sum = pairs[{std::get<0>(place), std::get<1>(place)}];
      std::unordered_map<uint64_t, size_t> seen;
      for (size_t i = 1; i < line.sizes.size(); ++i)
        ++seen[mix(mix(0, line.sizes[i - 1]), line.sizes[i])];
      for (const auto& [pair, count] : seen) {
        sum.all += count;
        sum.seldom += count < kOftenEnough ? count : 0;
      }
    }
    for (auto& [place, line] : lines_) {
      const Pairs& sum = pairs[{std::get<0>(place), std::get<1>(place)}];
      line.varies = line.sizes.size() >= kFewestCalls && 2 * sum.seldom > sum.all;
    }
  }

  // Among ranks that call the same with sizes that vary, each who has clearly more is of another level.
  void find_levels() {
    std::map<Kind, std::vector<std::pair<double, Line*>>> means;
    for (auto& [place, line] : lines_) {
      double sum = 0;
      for (const uint64_t size : line.sizes) sum += static_cast<double>(size);
      if (line.varies)
        means[std::get<0>(place)].emplace_back(sum / static_cast<double>(line.sizes.size()), &line);
    }
    for (auto& [kind, all] : means) {
      std::sort(all.begin(), all.end());
      for (size_t i = 1; i < all.size(); ++i) {
        all[i].second->level =
            all[i - 1].second->level + (all[i].first > kSameSize * all[i - 1].first ? 1 : 0);
      }
    }
  }

  uint64_t name_of(uint32_t arrival) const {
    const OperationRow& row = operation(arrival);
    const auto [func, ranks, place] = kind_of(arrival);
    const Line& line = *line_of_[arrival];
    uint64_t name = mix(func, line.varies ? ~uint64_t{line.level} : row.size_bytes);
    name = mix(name, static_cast<uint64_t>(ranks));
    return mix(name, place);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Peers& peers_;
  std::map<Place, Line> lines_;
  std::vector<Line*> line_of_;  // by row of `arrivals`
};

class RoleFinder {
 public:
  RoleFinder(const RunTables& run, const OwnSegments& own) : run_(run), own_(own), peers_(run) {}

  Roles find() {
    out_.call = Namer(run_, own_, peers_).name();
    find_roles();
    look_at_peers();
    tell_alike_calls_apart();
    return std::move(out_);
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
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

  void tell_alike_calls_apart() {
    const std::vector<uint32_t> places = places_in_rounds(run_, own_, out_.call);
    for (const uint32_t a : own_.order) {
      if (places[a] != 0) out_.call[a] = mix(out_.call[a], places[a]);
    }
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
        for (const auto& [peer, place] : peers[actor]) sum += mix(out_.role[peer], place);
        next.push_back(mix(out_.role[actor], sum));
      }
      out_.role.swap(next);
    }
  }
  // Of each actor, with whom it exchanges sends and receives, and where that is.
  std::vector<std::set<std::pair<uint32_t, uint32_t>>> find_peers() const {
    std::vector<std::set<std::pair<uint32_t, uint32_t>>> peers(own_.actors.size());
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals != 2) continue;
      const uint32_t a = match.first_arrival, b = a + 1;
      if (operation(a).kind != OpKind::PointToPoint) continue;
      const uint32_t one = own_.segments[a].actor, other = own_.segments[b].actor;
      if (one == kNoRow || other == kNoRow || one == other) continue;
      peers[one].emplace(other, peers_.place_of(operation(a)));
      peers[other].emplace(one, peers_.place_of(operation(b)));
    }
    return peers;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Peers peers_;
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
