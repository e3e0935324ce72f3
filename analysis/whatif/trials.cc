#include "analysis/whatif/trials.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lockstep::analysis {
namespace {

class Numbering {
 public:
  Numbering(const OwnSegments& own, const Roles& roles) : own_(own), roles_(roles) {}

  std::vector<uint32_t> number() {
    uint32_t launches = 0;
    for (const uint32_t a : own_.order) launches = std::max(launches, own_.segments[a].launch + 1);
    trial_.assign(launches, 0);
    for (const RankRows& rank : rows_of_ranks(own_)) number_by_mark(rank);
    return std::move(trial_);
  }

 private:
  uint32_t launch(size_t place) const { return own_.segments[own_.order[place]].launch; }

  // Each call of the kind begins a trial.
  void number_by_mark(const RankRows& rank) {
    const uint64_t mark = find_mark(rank);
    uint32_t trial = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (roles_.call[own_.order[i]] == mark && launch(i) != last) ++trial, last = launch(i);
      trial_[launch(i)] = trial;
    }
  }
  // The call that the fewest launches make, rare ones left out.
  uint64_t find_mark(const RankRows& rank) const {
    std::unordered_map<uint64_t, std::pair<uint32_t, uint32_t>>
        launches;  // by call: how many, last
    uint32_t all = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      all += launch(i) != last ? 1 : 0;
      last = launch(i);
      auto& [count, latest] =
          launches.try_emplace(roles_.call[own_.order[i]], 0, kNoRow).first->second;
      count += latest != last ? 1 : 0;
      latest = last;
    }
    const uint32_t fewest = std::max<uint32_t>(kFewestAtPosition, all / 100);
    std::pair<uint32_t, uint64_t> mark{~uint32_t{0}, 0};
    for (const auto& [call, seen] : launches) {
      if (seen.first >= fewest) mark = std::min(mark, std::make_pair(seen.first, call));
    }
    return mark.second;
  }

  const OwnSegments& own_;
  const Roles& roles_;
  std::vector<uint32_t> trial_;
};

}  // namespace

std::vector<RankRows> rows_of_ranks(const OwnSegments& own) {
  std::vector<RankRows> ranks;
  for (size_t begin = 0, end = 0; begin < own.order.size(); begin = end) {
    const uint32_t actor = own.segments[own.order[begin]].actor;
    while (end < own.order.size() && own.segments[own.order[end]].actor == actor) ++end;
    ranks.push_back({begin, end});
  }
  return ranks;
}

std::vector<uint32_t> number_trials(const OwnSegments& own, const Roles& roles) {
  return Numbering(own, roles).number();
}

}  // namespace lockstep::analysis
