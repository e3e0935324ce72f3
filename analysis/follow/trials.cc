#include "analysis/follow/trials.h"

#include <algorithm>
#include <tuple>
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
// Pipelines and buckets make most calls several times in a row, or nearly so: in such a part of their mean distance. Rows
// mark trials where there are so many times fewer of them, and most are equally far apart.
constexpr size_t kFewerRows = 2;
// So many are enough, however long a training step is.
constexpr size_t kEnoughRows = 16;

// The launches of a rank that make a call, by their places among all of its launches, from 1 on.
using Places = std::vector<uint32_t>;
using PlacesOfCalls = std::unordered_map<uint64_t, Places>;

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
  uint32_t launch(size_t row) const { return own_.segments[own_.order[row]].launch; }
  // Launches of a rank are numbered one after the other.
  uint32_t place(size_t row) const { return launch(row) - first_ + 1; }

  // Each launch that makes the call begins a trial, or the first of a row does.
  void number_by_mark(const RankRows& rank) {
    first_ = launch(rank.begin);
    launches_ = place(rank.end - 1);
    const PlacesOfCalls calls =
        places_of(rank, [&](size_t i) { return roles_.call[own_.order[i]]; });
    Places mark = rarest(calls, &Numbering::is_throughout);
    Places rows = rarest(rows_of(calls), &Numbering::is_regular, kEnoughRows);
    if (!rows.empty() && rows.size() * kFewerRows <= mark.size()) mark = std::move(rows);
    if (mark.empty()) mark = mark_of_varying(rank, calls);
    uint32_t trial = 0;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (trial < mark.size() && mark[trial] == place(i)) ++trial;
      trial_[launch(i)] = trial;
    }
  }
  // Where no call of one size is made throughout the run.
  Places mark_of_varying(const RankRows& rank, const PlacesOfCalls& calls) const {
    Places somewhere = rarest(calls, nullptr);
    if (somewhere.empty()) return {};
    Places mark = rarest(places_of(rank, [&](size_t i) { return without_size(i); }),
                         &Numbering::is_throughout);
    return mark.empty() ? somewhere : mark;
  }
  uint64_t without_size(size_t row) const {
    const OperationRow& one = run_.operations[run_.arrivals[own_.order[row]].operation];
    return uint64_t{one.communicator} << 32 | (one.func + 1);
  }

  template <class Call>
  PlacesOfCalls places_of(const RankRows& rank, const Call& call_at) const {
    PlacesOfCalls calls;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      Places& places = calls[call_at(i)];
      if (places.empty() || places.back() != place(i)) places.push_back(place(i));
    }
    return calls;
  }
  // The first of each row.
  PlacesOfCalls rows_of(const PlacesOfCalls& calls) const {
    PlacesOfCalls rows;
    for (const auto& [call, places] : calls) {
      const auto mean = static_cast<double>(launches_) / static_cast<double>(places.size());
      const double near = std::max(1.0, mean / kPartOfMean);
      uint32_t before = 0;
      for (const uint32_t one : places) {
        if (before == 0 || one - before > near) rows[call].push_back(one);
        before = one;
      }
    }
    return rows;
  }

  // How many launches they are apart, from the first launch of the rank to its last.
  std::vector<uint32_t> distances_of(const Places& places) const {
    std::vector<uint32_t> distances;
    uint32_t before = 0;
    for (const uint32_t one : places) {
      distances.push_back(one - before);
      before = one;
    }
    distances.push_back(launches_ - before);
    return distances;
  }
  bool is_throughout(const Places& places) const {
    std::vector<uint32_t> distances = distances_of(places);
    const uint32_t longest = *std::max_element(distances.begin(), distances.end());
    const auto mean = static_cast<double>(launches_) / static_cast<double>(distances.size());
    return longest <= launches_ / kPartOfRun &&
           kPartOfMean * static_cast<double>(median(&distances)) >= mean;
  }
  // ... and most are equally far apart, as steps are.
  bool is_regular(const Places& places) const {
    std::vector<uint32_t> distances = distances_of(places);
    const uint32_t usual = lower_median(&distances);
    const auto equal = std::count(distances.begin(), distances.end(), usual);
    return is_throughout(places) && static_cast<size_t>(equal) * 2 > distances.size();
  }
  // Those of the call that has the fewest, calls that are made rarely left out; `enough` are not rare. Of several the first
  // call, so that a trial begins where a training step does.
  Places rarest(const PlacesOfCalls& calls, bool (Numbering::*is_mark)(const Places&) const,
                size_t enough = ~size_t{0}) const {
    const size_t fewest = std::min(enough, std::max<size_t>(kFewestAtPosition, launches_ / 100));
    const Places* best = nullptr;
    uint64_t best_call = 0;
    for (const auto& [call, places] : calls) {
      if (places.size() < fewest || (is_mark != nullptr && !(this->*is_mark)(places))) continue;
      if (best == nullptr || std::make_tuple(places.size(), places.front(), call) <
                                 std::make_tuple(best->size(), best->front(), best_call))
        best = &places, best_call = call;
    }
    return best == nullptr ? Places() : *best;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  uint32_t first_ = 0, launches_ = 0;  // of the rank at hand: its first launch, and how many
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
