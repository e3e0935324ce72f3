#include "analysis/follow/trials.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Where sizes change as a job goes on, as in serving, a call of one size is made many times in a row in some parts of
// the run. What marks trials is not missing for longer than this part of the run, and the calls of it are not apart
// by less than this part of their mean distance, most of them.
constexpr uint32_t kPartOfRun = 4;
constexpr double kPartOfMean = 4;

class Numbering {
 public:
  Numbering(const RunTables& run, const OwnSegments& own, const Roles& roles)
      : run_(run), own_(own), roles_(roles) {}

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
    const auto call = [&](size_t i) { return roles_.call[own_.order[i]]; };
    const auto any_size = [&](size_t i) { return without_size(i); };
    uint64_t mark = find_mark(rank, call, true);
    const uint64_t somewhere = mark != 0 ? mark : find_mark(rank, call, false);
    if (mark == 0 && somewhere != 0) {
      mark = find_mark(rank, any_size, true);
      if (mark == 0) mark = somewhere;
    }
    uint32_t trial = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (calls_[i - rank.begin] == mark && launch(i) != last) ++trial, last = launch(i);
      trial_[launch(i)] = trial;
    }
  }
  uint64_t without_size(size_t place) const {
    const OperationRow& row = run_.operations[run_.arrivals[own_.order[place]].operation];
    return uint64_t{row.communicator} << 32 | (row.func + 1);
  }

  // Of a call, by how many launches those of one rank that make it are apart, from the first launch to the last.
  struct Apart {
    std::vector<uint32_t> launches;
    uint32_t latest = 0;  // its place among all launches
    size_t count() const { return launches.size(); }
    bool is_throughout(uint32_t all) {
      launches.push_back(all - latest);
      const uint32_t longest = *std::max_element(launches.begin(), launches.end());
      const auto mean = static_cast<double>(all) / static_cast<double>(count());
      return longest <= all / kPartOfRun &&
             kPartOfMean * static_cast<double>(median(&launches)) >= mean;
    }
  };
  // The call that the fewest launches make, rare ones left out; of those made throughout the run. 0: none is.
  template <class Call>
  uint64_t find_mark(const RankRows& rank, const Call& call_at, bool throughout) {
    calls_.clear();
    for (size_t i = rank.begin; i < rank.end; ++i) calls_.push_back(call_at(i));
    std::unordered_map<uint64_t, Apart> calls;
    uint32_t all = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      all += launch(i) != last ? 1 : 0;
      last = launch(i);
      Apart& call = calls[calls_[i - rank.begin]];
      if (call.latest != all) call.launches.push_back(all - call.latest);
      call.latest = all;
    }
    const size_t fewest = std::max<size_t>(kFewestAtPosition, all / 100);
    std::pair<size_t, uint64_t> mark{~size_t{0}, 0};
    for (auto& [call, apart] : calls) {
      const std::pair<size_t, uint64_t> one{apart.count(), call};
      if (one.first >= fewest && one < mark && (!throughout || apart.is_throughout(all)))
        mark = one;
    }
    return mark.second;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  std::vector<uint64_t> calls_;  // of the rank at hand, in order
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

std::vector<uint32_t> number_trials(const RunTables& run, const OwnSegments& own,
                                    const Roles& roles) {
  return Numbering(run, own, roles).number();
}

}  // namespace lockstep::analysis
