#include "analysis/follow/training_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/follow/trials.h"
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
// What is called once in some steps, as the loss that is logged, makes trials of several steps. These show by
// the pauses before them where they are of so many launches, the same each time but for that call. What
// pauses before fewer is a layer, or half of one.
constexpr size_t kShortestStep = 3;

class StepNumbering {
 public:
  StepNumbering(const RunTables& run, const OwnSegments& own, const Roles& roles,
                std::vector<uint32_t> trials)
      : run_(run), own_(own), roles_(roles), step_(std::move(trials)) {}

  std::vector<uint32_t> number() {
    const std::vector<RankRows> ranks = rows_of_ranks(own_);
    find_begins(ranks);
    for (const RankRows& rank : ranks) number_by_begins(rank);
    return std::move(step_);
  }

 private:
  uint32_t launch(size_t place) const { return own_.segments[own_.order[place]].launch; }
  uint32_t match(size_t place) const { return run_.arrivals[own_.order[place]].match; }
  uint64_t call(size_t place) const { return roles_.call[own_.order[place]]; }
  int64_t start_ns(size_t place) const { return own_.segments[own_.order[place]].start_ns; }

  // Of the rank with the most operations, by match, so that they are the same for all that take part.
  void find_begins(const std::vector<RankRows>& ranks) {
    const auto most = std::max_element(
        ranks.begin(), ranks.end(),
        [](const RankRows& a, const RankRows& b) { return a.end - a.begin < b.end - b.begin; });
    if (most == ranks.end()) return;
    std::vector<size_t> firsts;  // of each launch, its place in the order
    for (size_t i = most->begin; i < most->end; ++i) {
      if (i == most->begin || launch(i) != launch(i - 1)) firsts.push_back(i);
    }
    begin_after_pauses(firsts);
    if (begins_.empty()) begin_by_calls(firsts);
  }
  // Of those that begin after pauses.
  bool are_parts_of_trials(const std::vector<size_t>& firsts, size_t length) const {
    std::map<uint64_t, size_t> launches;
    for (const size_t i : firsts) ++launches[call(i)];
    const auto is_rare = [&](size_t count) { return count * kTimesFewer <= begins_.size(); };
    const auto rare = std::count_if(launches.begin(), launches.end(), [&](const auto& one) {
      return one.second >= kFewestAtPosition && is_rare(one.second);
    });
    if (rare != 1 || length < kShortestStep) return false;
    std::vector<uint64_t> calls;
    for (const size_t i : firsts) {
      if (!is_rare(launches[call(i)])) calls.push_back(call(i));
    }
    size_t same = 0;
    for (size_t k = length; k < calls.size(); ++k) same += calls[k] == calls[k - length] ? 1 : 0;
    return static_cast<double>(same) >= kRepeats * static_cast<double>(calls.size() - length);
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
    // All pauses are long in a warm-up, which is no steps of one operation each.
    const auto covered = static_cast<double>(count * length);
    if (length == 0 || count < kFewestAtPosition ||
        covered < kRegularSteps * static_cast<double>(firsts.size()))
      begins_.clear();
    finer_ = !begins_.empty() && are_parts_of_trials(firsts, length);
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
  void number_by_begins(const RankRows& rank) {
    const size_t trials = step_[launch(rank.end - 1)];
    const bool fewer = begins_.size() * kTimesFewer <= trials;
    if (begins_.empty() || !(fewer || (finer_ && begins_.size() >= trials * kTimesFewer))) return;
    const auto takes_part = [&](size_t i) { return begins_.count(match(i)) != 0; };
    size_t seen = 0;
    for (size_t i = rank.begin; i < rank.end; ++i) seen += takes_part(i) ? 1 : 0;
    if (seen < kFewestAtPosition) return;
    uint32_t step = 0, last = kNoRow;
    for (size_t i = rank.begin; i < rank.end; ++i) {
      if (takes_part(i) && launch(i) != last) ++step, last = launch(i);
      step_[launch(i)] = step;
    }
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  std::set<uint32_t> begins_;   // matches that begin a step
  bool finer_ = false;          // ... several of them in one trial
  std::vector<uint32_t> step_;  // by launch; the trial where steps do not show
};

}  // namespace

std::vector<uint32_t> number_training_steps(const RunTables& run, const OwnSegments& own,
                                            const Roles& roles, std::vector<uint32_t> trials) {
  return StepNumbering(run, own, roles, std::move(trials)).number();
}

}  // namespace lockstep::analysis
