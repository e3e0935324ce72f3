#include "analysis/whatif/trials.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Steps are more than trials where there are so many times as many of these.
constexpr size_t kTimesFewer = 2;
// A step begins after a pause so many times the usual one, and most steps have as many operations.
constexpr int64_t kTimesPause = 2;
constexpr double kRegularSteps = 0.5;
// Or calls repeat after so many, but for a few: of so many calls so many periods are tried.
constexpr double kRepeats = 0.9;
constexpr size_t kMostCalls = 20'000, kLongestPeriod = 512;

class Numbering {
 public:
  Numbering(const RunTables& run, const OwnSegments& own, const Roles& roles)
      : run_(run), own_(own), roles_(roles) {}

  std::vector<uint32_t> number(bool steps) {
    uint32_t launches = 0;
    for (const uint32_t a : own_.order) launches = std::max(launches, own_.segments[a].launch + 1);
    trial_.assign(launches, 0);
    find_ranks();
    if (steps) find_begins();
    for (const Rank& rank : ranks_) {
      const size_t marks = number_by_mark(rank);
      if (!begins_.empty() && begins_.size() * kTimesFewer <= marks) number_by_begins(rank);
    }
    return std::move(trial_);
  }

 private:
  struct Rank {
    size_t begin = 0, end = 0;  // in the order
  };
  uint32_t launch(size_t place) const { return own_.segments[own_.order[place]].launch; }
  uint32_t match(size_t place) const { return run_.arrivals[own_.order[place]].match; }

  void find_ranks() {
    for (size_t begin = 0, end = 0; begin < own_.order.size(); begin = end) {
      const uint32_t actor = own_.segments[own_.order[begin]].actor;
      while (end < own_.order.size() && own_.segments[own_.order[end]].actor == actor) ++end;
      ranks_.push_back({begin, end});
    }
  }

  // Each call of the kind begins a trial. Returns how many there are.
  size_t number_by_mark(const Rank& rank) {
    const uint64_t mark = find_mark(rank);
    uint32_t trial = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (roles_.call[own_.order[i]] == mark && launch(i) != last) ++trial, last = launch(i);
      trial_[launch(i)] = trial;
    }
    return trial;
  }
  // The call that the fewest launches make, rare ones left out.
  uint64_t find_mark(const Rank& rank) const {
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

  // Of the rank with the most operations, by match, so that they are the same for all that take part.
  void find_begins() {
    const auto most = std::max_element(
        ranks_.begin(), ranks_.end(),
        [](const Rank& a, const Rank& b) { return a.end - a.begin < b.end - b.begin; });
    if (most == ranks_.end()) return;
    std::vector<size_t> firsts;  // of each launch, its place in the order
    for (size_t i = most->begin; i < most->end; ++i) {
      if (i == most->begin || launch(i) != launch(i - 1)) firsts.push_back(i);
    }
    begin_after_pauses(firsts);
    if (begins_.empty()) begin_by_calls(firsts);
  }
  void begin_after_pauses(const std::vector<size_t>& firsts) {
    std::vector<int64_t> pauses_ns;
    for (size_t k = 1; k < firsts.size(); ++k)
      pauses_ns.push_back(start_ns(firsts[k]) - start_ns(firsts[k - 1]));
    if (pauses_ns.empty()) return;
    const int64_t usual_ns = median_of(pauses_ns);
    std::vector<size_t> begins;
    for (size_t k = 0; k < pauses_ns.size(); ++k) {
      if (pauses_ns[k] > kTimesPause * usual_ns) begins.push_back(k);
    }
    const size_t length = usual_length(begins);
    size_t count = 0, last = 0;
    for (const size_t k : begins) {
      // In a warm-up there are long pauses inside steps, too.
      if (count > 0 && k - last < length) continue;
      begins_.insert(match(firsts[k + 1]));
      last = k;
      ++count;
    }
    if (length == 0 || count < kFewestAtPosition) begins_.clear();
  }
  // Every so many calls, from the first that repeats on.
  void begin_by_calls(const std::vector<size_t>& firsts) {
    const size_t end = std::min(firsts.size(), kMostCalls);
    const auto differ = [&](size_t period, size_t most) {
      size_t count = 0;
      for (size_t k = 0; k + period < end && count <= most; ++k)
        count += call(firsts[k]) != call(firsts[k + period]) ? 1 : 0;
      return count;
    };
    size_t period = 0;
    auto fewest = static_cast<size_t>((1 - kRepeats) * static_cast<double>(end));
    for (size_t length = 1; length <= kLongestPeriod && length * kFewestAtPosition <= end;
         ++length) {
      const size_t count = differ(length, fewest);
      if (count < fewest) period = length, fewest = count;
    }
    if (period < 2) return;
    for (size_t k = 0; k < firsts.size(); k += period) begins_.insert(match(firsts[k]));
  }
  uint64_t call(size_t place) const { return roles_.call[own_.order[place]]; }
  int64_t start_ns(size_t place) const { return own_.segments[own_.order[place]].start_ns; }
  // Of the distances between them the most frequent; 0: none is that of most.
  static size_t usual_length(const std::vector<size_t>& begins) {
    if (begins.size() < kFewestAtPosition) return 0;
    std::map<size_t, size_t> lengths;
    for (size_t k = 1; k < begins.size(); ++k) ++lengths[begins[k] - begins[k - 1]];
    const auto usual =
        std::max_element(lengths.begin(), lengths.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto most = kRegularSteps * static_cast<double>(begins.size() - 1);
    return static_cast<double>(usual->second) < most ? 0 : usual->first;
  }
  void number_by_begins(const Rank& rank) {
    const auto takes_part = [&](size_t i) { return begins_.count(match(i)) != 0; };
    size_t seen = 0;
    for (size_t i = rank.begin; i < rank.end; ++i) seen += takes_part(i) ? 1 : 0;
    if (seen < kFewestAtPosition) return;
    uint32_t trial = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (takes_part(i) && launch(i) != last) ++trial, last = launch(i);
      trial_[launch(i)] = trial;
    }
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  std::vector<Rank> ranks_;
  std::set<uint32_t> begins_;  // matches that begin a step
  std::vector<uint32_t> trial_;
};

}  // namespace

std::vector<uint32_t> number_trials(const RunTables& run, const OwnSegments& own,
                                    const Roles& roles) {
  return Numbering(run, own, roles).number(false);
}
std::vector<uint32_t> number_training_steps(const RunTables& run, const OwnSegments& own,
                                            const Roles& roles) {
  return Numbering(run, own, roles).number(true);
}

}  // namespace lockstep::analysis
