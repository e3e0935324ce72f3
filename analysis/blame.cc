#include "analysis/blame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/blame_findings.h"
#include "analysis/late_operations.h"
#include "analysis/slow_paths.h"

namespace lockstep::analysis {
namespace {

// Whether `late` of `all` late operations on one rank of `ranks` are more than chance would give:
// the binomial tail.
bool beyond_chance(uint64_t late, uint64_t all, size_t ranks) {
  constexpr double kChance = 1e-4;
  const double p = 1.0 / static_cast<double>(ranks);
  const auto n = static_cast<double>(all);
  double tail = 0;
  for (uint64_t k = late; k <= all; ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                     x * std::log(p) + (n - x) * std::log1p(-p));
    if (tail >= kChance) return false;
  }
  return true;
}

class Blamer {
 public:
  explicit Blamer(const RunTables& run) : run_(run) {}

  Blame assign() {
    out_.late = find_late_operations(run_);
    slow_ = find_slow_paths(run_, out_.late);
    slow_.erase(std::remove_if(slow_.begin(), slow_.end(),
                               [&](const SlowPath& path) {
                                 return !path.never_waits &&
                                        !matters(path.lost_ns, path.communicator);
                               }),
                slow_.end());
    explain_by_slow_paths();
    sum_up();
    pass_on();
    accuse_stragglers();
    for (const SlowPath& path : slow_) out_.findings.push_back(slow_path_finding(run_, path));
    say_what_is_missing();
    return std::move(out_);
  }

 private:
  using Key = std::pair<uint32_t, int32_t>;  // communicator, rank

  // Lateness that came with the end of an operation in which a process with a slow path took part
  // is that path's doing.
  void explain_by_slow_paths() {
    for (LateOperation& late : out_.late) {
      if (late.origin == late.match || late.cause != Cause::Unknown) continue;
      const MatchRow& origin = run_.matches[late.origin];
      for (const SlowPath& path : slow_) {
        for (uint32_t i = 0; i < origin.arrivals; ++i) {
          const ArrivalRow& arrival = run_.arrivals[origin.first_arrival + i];
          if (run_.operations[arrival.operation].process == path.process) late.cause = path.cause;
        }
      }
    }
  }

  Key key_of(const LateOperation& late) const {
    return {run_.matches[late.match].communicator, run_.arrivals[late.arrival].rank};
  }

  void sum_up() {
    std::map<Key, RankBlame> ranks;
    for (const ArrivalRow& arrival : run_.arrivals) {
      const OperationRow& row = run_.operations[arrival.operation];
      if (row.assembled != kNoRow) continue;  // its whole stands for it
      RankBlame& blame = ranks[{row.communicator, arrival.rank}];
      blame.communicator = row.communicator;
      blame.process = row.process;
      blame.rank = arrival.rank;
      if (can_be_late(run_, run_.matches[arrival.match])) ++blame.operations;
      if (arrival.wait_ns > 0) blame.own_wait_ns += arrival.wait_ns;
    }
    std::map<Key, std::vector<const LateOperation*>> own;
    for (const LateOperation& late : out_.late) {
      if (late.origin == late.match) own[key_of(late)].push_back(&late);
    }
    for (auto& [key, blame] : ranks) {
      add_lateness(own[key], &blame);
      auto& excesses = excesses_[key];
      for (const LateOperation* late : own[key]) excesses.push_back(late->excess_ns);
      out_.ranks.push_back(blame);
    }
  }
  static void add_lateness(std::vector<const LateOperation*>& own, RankBlame* blame) {
    if (own.empty()) return;
    std::sort(own.begin(), own.end(), [](const LateOperation* a, const LateOperation* b) {
      return a->excess_ns > b->excess_ns;
    });
    blame->typical_ns = own[own.size() / 2]->excess_ns;
    std::array<uint32_t, std::size(kCauseNames)> causes{};
    for (const LateOperation* late : own) {
      if (late->excess_ns * 2 < blame->typical_ns) break;  // chance beside its usual lateness
      ++blame->late;
      blame->excess_ns += late->excess_ns;
      blame->caused_wait_ns += late->caused_wait_ns;
      ++causes[static_cast<unsigned>(late->cause)];
    }
    blame->cause =
        static_cast<Cause>(std::max_element(causes.begin(), causes.end()) - causes.begin());
  }

  // What others were late for because of a rank goes to that rank's account.
  void pass_on() {
    std::map<uint32_t, const LateOperation*> by_match;
    std::map<Key, RankBlame*> ranks;
    for (const LateOperation& late : out_.late) by_match[late.match] = &late;
    for (RankBlame& blame : out_.ranks) ranks[{blame.communicator, blame.rank}] = &blame;
    for (const LateOperation& late : out_.late) {
      if (late.cause != Cause::PeerLate) continue;
      RankBlame& blame = *ranks.at(key_of(*by_match.at(late.origin)));
      ++blame.passed_on;
      blame.passed_on_wait_ns += late.caused_wait_ns;
    }
  }

  // Chance spreads lateness over all ranks. A rank is accused when it has far more than its share,
  // again and again. A process that is late on several communicators is accused once, where it
  // costs most.
  void accuse_stragglers() {
    std::map<uint32_t, std::vector<RankBlame*>> communicators;
    for (RankBlame& blame : out_.ranks) communicators[blame.communicator].push_back(&blame);
    for (auto& [communicator, ranks] : communicators) accuse_among(ranks);
    std::stable_sort(accused_.begin(), accused_.end(), [](const Accused& a, const Accused& b) {
      return a.blame->excess_ns > b.blame->excess_ns;
    });
    std::set<uint32_t> processes;
    for (const Accused& one : accused_) {
      if (!processes.insert(one.blame->process).second) continue;
      std::vector<const RankBlame*> elsewhere;
      for (const Accused& other : accused_) {
        if (other.blame != one.blame && other.blame->process == one.blame->process)
          elsewhere.push_back(other.blame);
      }
      out_.findings.push_back(straggler_finding(run_, out_, *one.blame, one.share, elsewhere));
    }
  }

  void accuse_among(std::vector<RankBlame*>& ranks) {
    double rest = 0;
    for (const RankBlame* blame : ranks) rest += static_cast<double>(blame->excess_ns);
    const double all = rest;
    std::sort(ranks.begin(), ranks.end(),
              [](const RankBlame* a, const RankBlame* b) { return a->excess_ns > b->excess_ns; });
    for (size_t i = 0; i + 1 < ranks.size(); ++i) {
      RankBlame& blame = *ranks[i];
      const uint64_t as_late = as_late_as(blame, ranks);
      const double left = static_cast<double>(ranks.size() - i);
      // By time or by number: a few long pauses of another rank must not hide the one that is late
      // every time.
      const double by_time = rest > 0 ? static_cast<double>(blame.excess_ns) / rest : 0;
      const double by_number =
          as_late > 0 ? static_cast<double>(blame.late) / static_cast<double>(as_late) : 0;
      const double share = std::max(by_time, by_number);
      if (blame.late < 3 || !beyond_chance(blame.late, as_late, ranks.size()) ||
          share < 0.4 + 0.8 / left || static_cast<double>(blame.excess_ns) < 0.2 * all ||
          !matters(blame.excess_ns, blame.communicator)) {
        continue;
      }
      blame.accused = true;
      accused_.push_back({&blame, share});
      rest -= static_cast<double>(blame.excess_ns);
    }
  }

  // How often this rank or one that is not accused was as late as this one typically is: trifles of
  // others count for nothing beside it.
  uint64_t as_late_as(const RankBlame& blame, const std::vector<RankBlame*>& ranks) const {
    uint64_t count = 0;
    for (const RankBlame* other : ranks) {
      if (other->accused) continue;
      for (const int64_t excess_ns : excesses_.at({other->communicator, other->rank}))
        count += excess_ns * 2 >= blame.typical_ns ? 1 : 0;
    }
    return count;
  }

  // At least 1 % of the time between the communicator's first and last operation.
  bool matters(int64_t lost_ns, uint32_t communicator) {
    auto& [first, last] = spans_[communicator];
    if (last == 0) {
      first = std::numeric_limits<int64_t>::max();
      for (const MatchRow& match : run_.matches) {
        if (match.communicator != communicator || match.start_ns == kNoTime) continue;
        if (match.ordinal + match.replay != 0) first = std::min(first, match.start_ns);
        last = std::max(last, std::max(match.start_ns, match.finish_ns));
      }
    }
    return lost_ns * 100 >= last - first;
  }

  void say_what_is_missing() {
    uint64_t apart = 0, many = 0;
    bool steps = false, network = false, nodes = false;
    for (const CommunicatorRow& comm : run_.communicators) nodes = nodes || comm.nnodes > 1;
    for (const MatchRow& match : run_.matches) {
      if (match.expected < 2) continue;
      ++many;
      apart += match.comparable == 0 ? 1 : 0;
    }
    for (const OperationRow& row : run_.operations) {
      network = network || row.proxy_ops != 0;
      steps = steps || row.steps != 0;
    }
    if (apart != 0) {
      out_.not_known.push_back(
          "Who came last in " + std::to_string(apart) + " of " + std::to_string(many) +
          " operations: their ranks are on hosts whose clocks are not aligned (`lockstep align`).");
    }
    if (!steps && (network || nodes)) {
      out_.not_known.push_back(
          std::string("Which link ") +
          (network ? "is slow, or which proxy thread unless it begins far too late"
                   : "or proxy thread is slow") +
          ": network steps were not recorded (LOCKSTEP_EVENTS=step records them).");
    }
  }

  struct Accused {
    const RankBlame* blame = nullptr;
    double share = 0;
  };

  const RunTables& run_;
  std::vector<SlowPath> slow_;
  std::vector<Accused> accused_;
  std::map<Key, std::vector<int64_t>> excesses_;  // of a rank's own late operations
  std::map<uint32_t, std::pair<int64_t, int64_t>> spans_;
  Blame out_;
};

}  // namespace

Blame assign_blame(const RunTables& run) { return Blamer(run).assign(); }

void mark_causes(const Blame& blame, RunTables* run) {
  for (const LateOperation& late : blame.late) {
    run->arrivals[late.arrival].cause = late.cause;
    run->matches[late.match].cause = late.cause;
  }
}

}  // namespace lockstep::analysis
