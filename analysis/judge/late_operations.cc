#include "analysis/judge/late_operations.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/waits/call_chain.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Nothing below this is worth a word: clock reads, cache misses and interrupts alone scatter by so
// much.
constexpr int64_t kLeastExcessNs = 50'000;

// Whom the last arriver of an operation is compared with: those on other hosts, so that a slow host
// does not hide behind its own ranks; where there are fewer than two, all others.
std::vector<const ArrivalRow*> others_of(const RunTables& run, const MatchRow& match) {
  const auto host = [&](const ArrivalRow& a) {
    return run.processes[run.operations[a.operation].process].host;
  };
  const ArrivalRow* first = &run.arrivals[match.first_arrival];
  const ArrivalRow* end = first + match.arrivals;
  const ArrivalRow* last = std::find_if(first, end, [](const auto& a) { return a.last != 0; });
  std::vector<const ArrivalRow*> all, elsewhere;
  for (const ArrivalRow* a = first; a != end && last != end; ++a) {
    if (a == last || a->arrival_ns == kNoTime) continue;
    all.push_back(a);
    if (host(*a) != host(*last)) elsewhere.push_back(a);
  }
  return elsewhere.size() < 2 ? all : elsewhere;
}

// How the arrivals of one communicator scatter when nobody is late.
class Scatter {
 public:
  explicit Scatter(const RunTables& run) : run_(run), pair_(run.strings.find("SendRecv")) {}

  void note(const MatchRow& match) {
    if (match.arrivals == 2) return note_two(match);
    std::vector<int64_t> times;
    for (const ArrivalRow* other : others_of(run_, match)) times.push_back(other->arrival_ns);
    if (times.size() < 2) return;
    const auto ends = std::minmax_element(times.begin(), times.end());
    const int64_t spread = *ends.second - *ends.first, middle = median(&times);
    // Who comes early says little of who is late, and neither do the latest tenth.
    scatters_[match.communicator].push_back(std::max(quantile(&times, 0.9) - middle, spread / 4));
  }

  void finish() {
    for (auto& [communicator, values] : scatters_) noise_[communicator] = median(&values);
    for (auto& [key, values] : differences_) {
      usual_[key] = median(&values);
      auto& off = scatters_of_two_[std::get<0>(key)];
      for (const int64_t value : values) off.push_back(std::abs(value - usual_[key]));
    }
    // The fastest quarter: a rank that is late half of the time must not hide in its own scatter.
    for (auto& [communicator, values] : scatters_of_two_)
      noise_of_two_[communicator] = quantile(&values, 0.25);
  }

  int64_t noise(const MatchRow& match) const {
    const auto& of = match.arrivals == 2 ? noise_of_two_ : noise_;
    const auto found = of.find(match.communicator);
    return found == of.end() ? 0 : found->second;
  }

  // How long a receiver usually waits for its sender: stages of a pipeline wait for each other by
  // nature. 0 where the receiver comes last, and for collectives.
  int64_t usual_wait(const MatchRow& match, const ArrivalRow& last) const {
    if (match.func != pair_) return 0;
    const auto found = usual_.find(key_of(match));
    const bool sender_last = is_first_of_two(match, last);
    return found == usual_.end() || !sender_last ? 0 : std::max<int64_t>(0, found->second);
  }

 private:
  using Key = std::tuple<uint32_t, int32_t, int32_t>;  // communicator, sender, receiver

  const ArrivalRow& one(const MatchRow& match, uint32_t which) const {
    return run_.arrivals[match.first_arrival + which];
  }
  // The sender of a pair; of two ranks of a collective the lower one.
  bool is_first_of_two(const MatchRow& match, const ArrivalRow& arrival) const {
    const Key key = key_of(match);
    return arrival.rank == std::get<1>(key);
  }
  Key key_of(const MatchRow& match) const {
    const ArrivalRow &a = one(match, 0), &b = one(match, 1);
    const OperationRow& row = run_.operations[a.operation];
    const bool a_first = match.func == pair_ ? run_.text(row.func) == "Send" : a.rank < b.rank;
    return a_first ? Key{match.communicator, a.rank, b.rank}
                   : Key{match.communicator, b.rank, a.rank};
  }
  void note_two(const MatchRow& match) {
    const ArrivalRow &a = one(match, 0), &b = one(match, 1);
    if (a.arrival_ns == kNoTime || b.arrival_ns == kNoTime) return;
    const int64_t later = a.arrival_ns - b.arrival_ns;
    differences_[key_of(match)].push_back(is_first_of_two(match, a) ? later : -later);
  }

  const RunTables& run_;
  Text pair_;
  std::unordered_map<uint32_t, std::vector<int64_t>> scatters_, scatters_of_two_;
  std::unordered_map<uint32_t, int64_t> noise_, noise_of_two_;
  std::map<Key, std::vector<int64_t>> differences_;  // of the first's arrival from the second's
  std::map<Key, int64_t> usual_;
};

class LateFinder {
 public:
  explicit LateFinder(const RunTables& run) : run_(run), chain_(run), scatter_(run) {}

  std::vector<LateOperation> find() {
    for (const MatchRow& match : run_.matches) {
      if (can_be_late(run_, match)) scatter_.note(match);
    }
    scatter_.finish();
    std::vector<LateOperation> late;
    for (size_t m = 0; m < run_.matches.size(); ++m) {
      LateOperation one;
      one.match = one.origin = static_cast<uint32_t>(m);
      if (!can_be_late(run_, run_.matches[m]) || !measure(run_.matches[m], &one)) continue;
      late_at_[one.match] = static_cast<uint32_t>(late.size());
      late.push_back(one);
    }
    for (LateOperation& one : late) find_origin(&one, late);
    return late;
  }

 private:
  bool measure(const MatchRow& match, LateOperation* one) {
    const ArrivalRow* last = nullptr;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const ArrivalRow& a = run_.arrivals[i];
      if (a.last != 0) {
        last = &a;
        one->arrival = i;
      } else if (a.arrival_ns != kNoTime) {
        one->caused_wait_ns += std::max<int64_t>(0, a.wait_ns);
      }
    }
    std::vector<int64_t> others, calls, ends, clock_errors;
    for (const ArrivalRow* a : others_of(run_, match)) {
      others.push_back(a->arrival_ns);
      clock_errors.push_back(a->clock_error_ns);
      const OperationRow& row = run_.operations[a->operation];
      if (row.called_ns() != kNoTime) calls.push_back(row.called_ns());
      const Predecessor before = chain_.before(a->operation, a->arrival_ns);
      if (before.finish_ns != kNoTime) ends.push_back(before.finish_ns);
    }
    if (last == nullptr || others.empty()) return false;
    one->excess_ns = last->arrival_ns - median(&others) - scatter_.usual_wait(match, *last);
    const int64_t threshold =
        std::max({kLeastExcessNs, 2 * scatter_.noise(match), 2 * median(&clock_errors)});
    if (one->excess_ns < threshold) return false;
    const OperationRow& row = run_.operations[last->operation];
    const Predecessor before = chain_.before(last->operation, last->arrival_ns);
    if (before.finish_ns != kNoTime && !ends.empty()) {
      one->inherited_ns = std::max<int64_t>(0, before.finish_ns - median(&ends));
    }
    one->cause = Cause::Unknown;
    if (row.called_ns() != kNoTime && !calls.empty()) {
      const int64_t call_excess = row.called_ns() - median(&calls);
      if (call_excess * 10 >= one->excess_ns * 6) {
        one->cause = Cause::HostLate;
      } else if (last->basis == ArrivalBasis::KernelStart) {
        one->cause = Cause::GpuLate;
      } else if (row.proxy_lag_ns * 10 >= one->excess_ns * 6) {
        one->cause = Cause::ProxyStarved;
      }
    }
    return true;
  }

  // Walks back while most of the lateness came with the end of the operation before, to the rank
  // that was late by itself.
  void find_origin(LateOperation* one, const std::vector<LateOperation>& late) const {
    if (one->inherited_ns * 2 < one->excess_ns) return;
    const LateOperation* at = one;
    for (int steps = 0; steps < 64; ++steps) {
      const ArrivalRow& arrival = run_.arrivals[at->arrival];
      const uint32_t match = chain_.before(arrival.operation, arrival.arrival_ns).match;
      if (match == kNoRow) break;
      one->origin = match;
      const auto earlier = late_at_.find(match);
      if (earlier == late_at_.end()) {
        // Nobody was late there: its transfer took longer, and slow paths may explain it.
        one->cause = Cause::Unknown;
        return;
      }
      at = &late[earlier->second];
      one->cause = process_of(*at) == process_of(*one) ? at->cause : Cause::PeerLate;
      if (at->inherited_ns * 2 < at->excess_ns) return;
    }
  }
  uint32_t process_of(const LateOperation& late) const {
    return run_.operations[run_.arrivals[late.arrival].operation].process;
  }

  const RunTables& run_;
  CallChain chain_;
  Scatter scatter_;
  std::unordered_map<uint32_t, uint32_t> late_at_;
};

}  // namespace

bool can_be_late(const RunTables& run, const MatchRow& match) {
  // Of an assembled operation the whole is looked at.
  if (run.operations[run.arrivals[match.first_arrival].operation].assembled != kNoRow) return false;
  // The first operation of a communicator sets up its connections.
  return match.comparable != 0 && match.arrivals > 1 && match.last_rank >= 0 &&
         match.ordinal + match.replay != 0;
}

std::vector<LateOperation> find_late_operations(const RunTables& run) {
  return LateFinder(run).find();
}

}  // namespace lockstep::analysis
