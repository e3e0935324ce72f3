#include "analysis/follow/rhythm.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Of a rank's calls, how many must be of the one kind.
constexpr double kOnlyCall = 0.95;
// How long most ranks work: as long as this part of them at most, and the others longer.
constexpr double kOfMost = 0.35;
// A round has so many calls at most, and is seen so often at least.
constexpr size_t kMostCallsOfRound = 16, kFewestTimesSeen = 8;
// What ranks work before the same place of a round differs so many times less than all of it does, and of a shorter round no
// more than so many times as much as of the best.
constexpr double kDifferLess = 3, kNearlyBest = 1.5;

class Rhythm {
 public:
  Rhythm(const RunTables& run, const OwnSegments& own, const std::vector<uint64_t>& calls)
      : run_(run), own_(own), calls_(calls) {}

  std::vector<uint32_t> places() {
    std::vector<uint32_t> places(own_.segments.size());
    find_only_calls();
    find_stretches();
    std::unordered_map<uint64_t, size_t> rounds;
    for (const auto& [call, communicators] : stretches_ns_) rounds[call] = round_of(communicators);
    for (const uint32_t a : own_.order) {
      const auto round = rounds.find(calls_[a]);
      if (round != rounds.end() && round->second > 1)
        places[a] = static_cast<uint32_t>(operation(a).ordinal % round->second) + 1;
    }
    return places;
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }

  // Those beside which nobody who makes them makes any others worth mentioning.
  void find_only_calls() {
    std::unordered_set<uint64_t> beside_others;
    for (size_t begin = 0, end = 0; begin < own_.order.size(); begin = end) {
      const uint32_t actor = own_.segments[own_.order[begin]].actor;
      std::unordered_map<uint64_t, size_t> counts;
      for (; end < own_.order.size() && own_.segments[own_.order[end]].actor == actor; ++end)
        ++counts[calls_[own_.order[end]]];
      for (const auto& [call, count] : counts) {
        const bool nearly_all =
            static_cast<double>(count) >= kOnlyCall * static_cast<double>(end - begin);
        (nearly_all ? only_ : beside_others).insert(call);
      }
    }
    for (const uint64_t call : beside_others) only_.erase(call);
  }

  // How long the ranks work before each, by communicator: most of them, for who is late now and then makes no rhythm.
  void find_stretches() {
    for (uint32_t m = 0; m < run_.matches.size(); ++m) {
      const MatchRow& match = run_.matches[m];
      const uint64_t call = calls_[match.first_arrival];
      if (match.arrivals < 2 || match.replay != 0 || only_.count(call) == 0) continue;
      std::vector<int64_t> own_ns;
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        if (own_.segments[a].own_ns != kNoTime) own_ns.push_back(own_.segments[a].own_ns);
      }
      if (!own_ns.empty())
        stretches_ns_[call][match.communicator][match.ordinal] = quantile(&own_ns, kOfMost);
    }
  }

  using Stretches = std::map<uint32_t, int64_t>;  // by ordinal
  // How many calls make a round; 1: none shows on most communicators.
  static size_t round_of(const std::map<uint32_t, Stretches>& communicators) {
    std::map<size_t, size_t> votes;
    for (const auto& [communicator, stretches] : communicators) ++votes[round_of(stretches)];
    for (const auto& [round, count] : votes) {
      if (2 * count > communicators.size()) return round;
    }
    return 1;
  }
  static size_t round_of(const Stretches& stretches_ns) {
    std::vector<double> differ;  // by length - 1
    double best = 0;
    for (size_t length = 1;
         length <= kMostCallsOfRound && length * kFewestTimesSeen <= stretches_ns.size();
         ++length) {
      differ.push_back(difference(stretches_ns, length));
      best = length == 1 ? differ[0] : std::min(best, differ.back());
    }
    if (differ.empty() || best * kDifferLess > differ[0]) return 1;
    const auto first = std::find_if(differ.begin(), differ.end(),
                                    [&](double one) { return one <= kNearlyBest * best; });
    return static_cast<size_t>(first - differ.begin()) + 1;
  }
  // How far they are on average from the middle of those at their place.
  static double difference(const Stretches& stretches_ns, size_t length) {
    std::vector<std::vector<int64_t>> places(length);
    for (const auto& [ordinal, ns] : stretches_ns) places[ordinal % length].push_back(ns);
    double sum = 0;
    for (std::vector<int64_t>& place : places) {
      const int64_t middle_ns = median(&place);
      for (const int64_t ns : place) sum += std::abs(static_cast<double>(ns - middle_ns));
    }
    return sum / static_cast<double>(stretches_ns.size());
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<uint64_t>& calls_;
  std::unordered_set<uint64_t> only_;
  std::map<uint64_t, std::map<uint32_t, Stretches>> stretches_ns_;  // by call, by communicator
};

}  // namespace

std::vector<uint32_t> places_in_rounds(const RunTables& run, const OwnSegments& own,
                                       const std::vector<uint64_t>& calls) {
  return Rhythm(run, own, calls).places();
}

}  // namespace lockstep::analysis
