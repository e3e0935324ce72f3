#include "analysis/relate/steps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

// A period must hold for this share of the stream: evaluations and checkpoints come between steps.
constexpr double kRegular = 0.9;
// So many times fewer operations must differ than after one operation.
constexpr double kTimesBetter = 2;
constexpr size_t kSample = 20'000, kFewest = 12, kMostCandidates = 256;

class StepFinder {
 public:
  explicit StepFinder(RunTables* run) : run_(*run), rows_of_(run->processes.size()) {}

  void find() {
    for (uint32_t i = 0; i < run_.operations.size(); ++i) {
      if (usable(run_.operations[i])) rows_of_[run_.operations[i].process].push_back(i);
    }
    const auto most = std::max_element(
        rows_of_.begin(), rows_of_.end(),
        [](const auto& one, const auto& other) { return one.size() < other.size(); });
    if (most == rows_of_.end()) return;
    look_at(std::move(*most));
    period_ = rows_.size() < kFewest ? 0 : find_period();
    if (period_ == 0) return;
    number_steps(phase_of(period_));
    follow_others();
    number_parts();
    number_by_time();
  }

 private:
  static bool usable(const OperationRow& row) {
    return row.match != kNoRow && row.assembled == kNoRow;
  }
  uint32_t& step_of(uint32_t row) const { return run_.matches[run_.operations[row].match].step; }

  // One process's operations, in the order of their calls.
  void look_at(std::vector<uint32_t> rows) {
    rows_ = std::move(rows);
    symbols_.clear();
    name_symbols();
  }

  // 0 = there is none.
  uint32_t find_period() const {
    // Of operations that are all the same nothing marks where a step begins.
    if (std::set<uint32_t>(symbols_.begin(), symbols_.end()).size() < 2) return 0;
    // Of one operation over and over, with another now and then, every shift repeats most.
    const double by_one = repeats(1);
    for (const uint32_t period : candidates()) {
      const double share = repeats(period);
      if (share >= kRegular && (1 - share) * kTimesBetter <= 1 - by_one) return period;
    }
    return 0;
  }

  // What others do among themselves belongs to the step of what they do with those whose steps are
  // known, however far they call ahead.
  void follow_others() {
    for (bool news = true; news;) {
      news = false;
      for (std::vector<uint32_t>& rows : rows_of_) {
        const auto known = [this](uint32_t row) { return step_of(row) != kNoRow; };
        if (std::none_of(rows.begin(), rows.end(), known)) continue;
        if (!std::all_of(rows.begin(), rows.end(), known)) {
          look_at(std::move(rows));
          news = follow() || news;
        }
        rows.clear();
      }
    }
  }

  // Numbers the steps of the process at hand by those that are known; false where its operations have no
  // period or do not keep to them.
  bool follow() {
    const int64_t period = repeats(period_) >= kRegular ? period_ : find_period();
    if (period == 0) return false;
    // The first operation of step 0 must be in all of these ranges, of which `border` has the ends.
    std::map<int64_t, int64_t> borders;
    int64_t known = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (step_of(rows_[i]) == kNoRow) continue;
      const int64_t last = static_cast<int64_t>(i) - int64_t{step_of(rows_[i])} * period;
      ++borders[last - period + 1];
      --borders[last + 1];
      ++known;
    }
    const int64_t first = best_start(borders, period, known);
    if (first == kNoTime) return false;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const int64_t after = std::max<int64_t>(0, static_cast<int64_t>(i) - first);
      if (step_of(rows_[i]) == kNoRow) step_of(rows_[i]) = static_cast<uint32_t>(after / period);
    }
    return true;
  }

  // Of the starts that most of the known steps allow, the one with the longest pause; kNoTime where too
  // many exclude each other.
  int64_t best_start(const std::map<int64_t, int64_t>& borders, int64_t period,
                     int64_t known) const {
    int64_t most = 0, allowed = 0;
    for (const auto& [at, change] : borders) most = std::max(most, allowed += change);
    if (static_cast<double>(most) < kRegular * static_cast<double>(known)) return kNoTime;
    const std::vector<int64_t> pauses = pauses_of(static_cast<uint32_t>(period));
    int64_t best = kNoTime, longest_ns = -1;
    for (auto border = borders.begin(); std::next(border) != borders.end(); ++border) {
      if ((allowed += border->second) != most) continue;
      for (int64_t at = border->first; at < std::next(border)->first; ++at) {
        const int64_t pause_ns = pauses[static_cast<size_t>((at % period + period) % period)];
        if (pause_ns > longest_ns) best = at, longest_ns = pause_ns;
      }
    }
    return best;
  }

  // The sends and receives that make up an operation.
  void number_parts() {
    for (uint32_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      if (row.assembled != kNoRow && row.match != kNoRow &&
          run_.operations[row.assembled].match != kNoRow)
        step_of(i) = step_of(row.assembled);
    }
  }

  // The rest, of processes that nothing joins with those above, where times can be compared.
  void number_by_time() {
    for (MatchRow& match : run_.matches) {
      if (match.step != kNoRow || match.start_ns == kNoTime || !run_.aligned) continue;
      const auto after = std::upper_bound(begins_.begin(), begins_.end(), match.start_ns);
      if (after != begins_.begin()) match.step = static_cast<uint32_t>(after - begins_.begin() - 1);
    }
  }

  void name_symbols() {
    std::unordered_map<uint64_t, uint32_t> numbers;
    for (const uint32_t i : rows_) {
      const OperationRow& row = run_.operations[i];
      uint64_t key = row.size_bytes * 0x9e3779b97f4a7c15ULL;
      key = (key ^ (uint64_t{row.communicator} << 32 | row.func)) * 0xff51afd7ed558ccdULL;
      key ^= static_cast<uint64_t>(static_cast<uint32_t>(row.peer)) * 0xc2b2ae3d27d4eb4fULL;
      symbols_.push_back(numbers.emplace(key, static_cast<uint32_t>(numbers.size())).first->second);
    }
  }

  // The distances between neighbours of the rarer operations, smallest first.
  std::set<uint32_t> candidates() const {
    std::unordered_map<uint32_t, uint32_t> last;
    std::unordered_map<uint32_t, uint32_t> votes;
    const size_t end = std::min(symbols_.size(), kSample);
    for (uint32_t i = 0; i < end; ++i) {
      const auto seen = last.find(symbols_[i]);
      if (seen != last.end()) ++votes[i - seen->second];
      last[symbols_[i]] = i;
    }
    std::vector<std::pair<uint32_t, uint32_t>> ordered;
    for (const auto& [distance, count] : votes) {
      if (count >= 2 && distance > 1) ordered.emplace_back(count, distance);
    }
    std::sort(ordered.rbegin(), ordered.rend());
    std::set<uint32_t> best;
    for (size_t i = 0; i < ordered.size() && i < kMostCandidates; ++i)
      best.insert(ordered[i].second);
    return best;
  }

  double repeats(uint32_t period) const {
    const size_t end = std::min(symbols_.size(), kSample);
    if (size_t{period} * 2 > end) return 0;
    size_t same = 0;
    for (size_t i = 0; i + period < end; ++i) same += symbols_[i] == symbols_[i + period] ? 1 : 0;
    return static_cast<double>(same) / static_cast<double>(end - period);
  }

  int64_t start_of(size_t i) const { return run_.operations[rows_[i]].called_ns(); }

  // Before each place of a period, summed over all periods.
  std::vector<int64_t> pauses_of(uint32_t period) const {
    std::vector<int64_t> pauses(period);
    for (size_t i = 1; i < rows_.size(); ++i)
      pauses[i % period] += std::max<int64_t>(0, start_of(i) - start_of(i - 1));
    return pauses;
  }
  uint32_t phase_of(uint32_t period) const {
    const std::vector<int64_t> pauses = pauses_of(period);
    return static_cast<uint32_t>(std::max_element(pauses.begin(), pauses.end()) - pauses.begin());
  }

  void number_steps(uint32_t phase) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (i == 0 || i % period_ == phase) begins_.push_back(start_of(i));
      step_of(rows_[i]) = static_cast<uint32_t>(begins_.size() - 1);
    }
  }

  RunTables& run_;
  std::vector<std::vector<uint32_t>> rows_of_;  // by process; those that are numbered are empty
  std::vector<uint32_t> rows_, symbols_;        // of the process at hand
  uint32_t period_ = 0;                         // of the process with the most operations,
  std::vector<int64_t> begins_;                 // whose steps begin then
};

}  // namespace

void find_steps(RunTables* run) { StepFinder(run).find(); }

}  // namespace lockstep::analysis
