#include "analysis/account/slower.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/whatif/what_if.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// A finding that accuses nobody costs at least so much of the run's time.
constexpr double kLeastShare = 0.05;
// So many groups are replayed, those first that have most to gain.
constexpr size_t kMostGroups = 8;
// So many operations are named.
constexpr size_t kMostOperations = 100;

// What groups are told apart by: whether they stood still, how it is known, and for a communicator or a size, which.
using Group = std::tuple<bool, ExpectedBy, uint32_t, Text, uint64_t>;

class Search {
 public:
  Search(const RunTables& run, const OwnSegments& own)
      : run_(run), own_(own), expected_(find_expected_times(run, own)) {}

  std::vector<SlowerThanExpected> find() {
    std::map<Group, std::vector<uint32_t>> groups;  // rows of `matches`
    for (uint32_t m = 0; m < run_.matches.size(); ++m) {
      if (expected_.slow[m] != Slow::No) groups[group_of(m)].push_back(m);
    }
    std::vector<std::pair<int64_t, const std::vector<uint32_t>*>> ordered;
    for (const auto& [group, matches] : groups) ordered.emplace_back(excess_of(matches), &matches);
    std::sort(ordered.begin(), ordered.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    if (ordered.size() > kMostGroups) ordered.resize(kMostGroups);
    std::vector<SlowerThanExpected> found;
    if (ordered.empty()) return found;
    const std::vector<int64_t> no_lateness(own_.segments.size());
    WhatIf what_if(run_, own_, no_lateness);
    for (const auto& [excess_ns, matches] : ordered) {
      const int64_t gain_ns = what_if.gain_of_transfers_ns(saved_of(*matches));
      if (static_cast<double>(gain_ns) >= kLeastShare * static_cast<double>(what_if.span_ns()) &&
          gain_ns > 0)
        found.push_back(describe(*matches, gain_ns, what_if.span_ns()));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.gain_ns > b.gain_ns; });
    return found;
  }

 private:
  const ExpectedTimeRow& row_of(uint32_t m) const { return expected_.rows[expected_.row_of[m]]; }
  Group group_of(uint32_t m) const {
    const bool still = expected_.slow[m] == Slow::Still;
    const ExpectedTimeRow& row = row_of(m);
    if (still) return {still, row.by, 0, 0, 0};
    switch (row.by) {
      case ExpectedBy::Itself:
        return {still, row.by, 0, 0, 0};
      case ExpectedBy::Alike:
        return {still, row.by, row.communicator, 0, 0};
      case ExpectedBy::Sizes:
        break;
    }
    return {still, row.by, 0, row.func, row.size_bytes};
  }
  int64_t excess_of(const std::vector<uint32_t>& matches) const {
    int64_t all_ns = 0;
    for (const uint32_t m : matches) all_ns += std::max<int64_t>(0, expected_.excess_ns[m]);
    return all_ns;
  }

  // By row of `arrivals`, as the replay takes it: less than the whole transfer.
  std::vector<int64_t> saved_of(const std::vector<uint32_t>& matches) const {
    std::vector<int64_t> saved_ns(own_.segments.size());
    for (const uint32_t m : matches) {
      const MatchRow& match = run_.matches[m];
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        const int64_t took_ns = own_.segments[a].end_ns - own_.last_start_ns[m];
        const int64_t most_ns = std::max(took_ns * 9 / 10, took_ns - row_of(m).expected_ns);
        saved_ns[a] = std::clamp<int64_t>(expected_.excess_ns[m], 0, most_ns);
      }
    }
    return saved_ns;
  }

  SlowerKind kind_of(const ExpectedTimeRow& row, const std::vector<uint32_t>& matches) const {
    std::vector<int64_t> excesses_ns;
    for (const uint32_t m : matches) excesses_ns.push_back(expected_.excess_ns[m]);
    return {row, matches.front(), row.expected_ns + median(&excesses_ns)};
  }

  std::vector<SlowerOperation> slowest_of(std::vector<uint32_t> matches) const {
    std::stable_sort(matches.begin(), matches.end(), [&](uint32_t a, uint32_t b) {
      return expected_.excess_ns[a] > expected_.excess_ns[b];
    });
    std::vector<SlowerOperation> slowest;
    for (const uint32_t m : matches) {
      // A stretch is slow by its middle, so some in it may have been as fast as ever.
      if (slowest.size() == kMostOperations || expected_.excess_ns[m] <= 0) break;
      const int64_t expected_ns = row_of(m).expected_ns;
      slowest.push_back({m, expected_ns + expected_.excess_ns[m], expected_ns});
    }
    return slowest;
  }

  SlowerThanExpected describe(const std::vector<uint32_t>& matches, int64_t gain_ns,
                              int64_t span_ns) const {
    std::map<uint32_t, std::vector<uint32_t>> kinds;  // by row of `expected_times`
    for (const uint32_t m : matches) kinds[expected_.row_of[m]].push_back(m);
    std::vector<std::pair<int64_t, SlowerKind>> ordered;
    for (const auto& [row, of_kind] : kinds)
      ordered.emplace_back(excess_of(of_kind), kind_of(expected_.rows[row], of_kind));
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    SlowerThanExpected one;
    for (auto& [excess_ns, kind] : ordered) one.kinds.push_back(kind);
    one.slowest = slowest_of(matches);
    one.still = expected_.slow[matches.front()] == Slow::Still;
    one.gain_ns = gain_ns;
    one.span_ns = span_ns;
    return one;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const ExpectedTimes expected_;
};

}  // namespace

std::vector<SlowerThanExpected> find_slower(const RunTables& run, const OwnSegments& own) {
  return Search(run, own).find();
}

}  // namespace lockstep::analysis
