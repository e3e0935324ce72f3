#include "analysis/relate/steps.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

// A period must hold for this share of the stream: evaluations and checkpoints come between steps.
constexpr double kRegular = 0.9;
constexpr size_t kSample = 20'000, kFewest = 12, kMostCandidates = 256;

class StepFinder {
 public:
  explicit StepFinder(RunTables* run) : run_(*run) {}

  void find() {
    choose_process();
    if (rows_.size() < kFewest) return;
    name_symbols();
    // Of operations that are all the same nothing marks where a step begins.
    if (std::set<uint32_t>(symbols_.begin(), symbols_.end()).size() < 2) return;
    for (const uint32_t period : candidates()) {
      if (repeats(period) >= kRegular) return number_steps(period, phase_of(period));
    }
  }

 private:
  // The process with the most operations stands for all.
  void choose_process() {
    std::unordered_map<uint32_t, uint32_t> counts;
    for (const OperationRow& row : run_.operations) counts[row.process] += usable(row) ? 1 : 0;
    uint32_t most = 0;
    for (uint32_t p = 0; p < run_.processes.size(); ++p) {
      if (counts[p] > most) most = counts[p], process_ = p;
    }
    for (uint32_t i = 0; i < run_.operations.size(); ++i) {
      if (run_.operations[i].process == process_ && usable(run_.operations[i])) rows_.push_back(i);
    }
  }
  static bool usable(const OperationRow& row) {
    return row.match != kNoRow && row.assembled == kNoRow;
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

  // Where in a period the longest pause lies, by the sum over all periods.
  uint32_t phase_of(uint32_t period) const {
    std::vector<int64_t> pauses(period);
    for (size_t i = 1; i < rows_.size(); ++i)
      pauses[i % period] += std::max<int64_t>(0, start_of(i) - start_of(i - 1));
    return static_cast<uint32_t>(std::max_element(pauses.begin(), pauses.end()) - pauses.begin());
  }

  void number_steps(uint32_t period, uint32_t phase) {
    std::vector<int64_t> begins;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (i == 0 || i % period == phase) begins.push_back(start_of(i));
      run_.matches[run_.operations[rows_[i]].match].step = static_cast<uint32_t>(begins.size() - 1);
    }
    // Operations that this process had no part in go by time, where times can be compared.
    for (MatchRow& match : run_.matches) {
      if (match.step != kNoRow || match.start_ns == kNoTime || !run_.aligned) continue;
      const auto after = std::upper_bound(begins.begin(), begins.end(), match.start_ns);
      if (after != begins.begin()) match.step = static_cast<uint32_t>(after - begins.begin() - 1);
    }
  }

  RunTables& run_;
  uint32_t process_ = 0;
  std::vector<uint32_t> rows_, symbols_;
};

}  // namespace

void find_steps(RunTables* run) { StepFinder(run).find(); }

}  // namespace lockstep::analysis
