#include "analysis/blame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/late_operations.h"
#include "analysis/slow_paths.h"
#include "analysis/verdict.h"

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
    explain_by_slow_paths();
    sum_up();
    accuse_stragglers();
    for (const SlowPath& path : slow_) accuse_path(path);
    say_what_is_missing();
    return std::move(out_);
  }

 private:
  using Key = std::pair<uint32_t, int32_t>;  // communicator, rank

  // Lateness that came with the end of an operation on a communicator with a slow path is that
  // path's doing.
  void explain_by_slow_paths() {
    for (LateOperation& late : out_.late) {
      if (late.origin == late.match || late.cause != Cause::Unknown) continue;
      for (const SlowPath& path : slow_) {
        if (path.communicator == run_.matches[late.origin].communicator) late.cause = path.cause;
      }
    }
  }

  void sum_up() {
    std::map<Key, RankBlame> ranks;
    std::map<Key, std::array<uint32_t, 7>> causes;
    for (const ArrivalRow& arrival : run_.arrivals) {
      const OperationRow& row = run_.operations[arrival.operation];
      RankBlame& blame = ranks[{row.communicator, arrival.rank}];
      blame.communicator = row.communicator;
      blame.process = row.process;
      blame.rank = arrival.rank;
      ++blame.operations;
      if (arrival.wait_ns > 0) blame.own_wait_ns += arrival.wait_ns;
    }
    for (const LateOperation& late : out_.late) {
      if (late.origin != late.match) continue;  // inherited
      const ArrivalRow& arrival = run_.arrivals[late.arrival];
      const Key key{run_.matches[late.match].communicator, arrival.rank};
      RankBlame& blame = ranks[key];
      ++blame.late;
      blame.excess_ns += late.excess_ns;
      blame.caused_wait_ns += late.caused_wait_ns;
      excesses_[key].push_back(late.excess_ns);
      ++causes[key][static_cast<unsigned>(late.cause)];
    }
    for (auto& [key, blame] : ranks) {
      auto& excesses = excesses_[key];
      if (!excesses.empty()) {
        std::nth_element(excesses.begin(),
                         excesses.begin() + static_cast<ptrdiff_t>(excesses.size() / 2),
                         excesses.end());
        blame.typical_ns = excesses[excesses.size() / 2];
        const auto& counts = causes[key];
        blame.cause =
            static_cast<Cause>(std::max_element(counts.begin(), counts.end()) - counts.begin());
      }
      out_.ranks.push_back(blame);
    }
  }

  // Chance spreads lateness over all ranks. A rank is accused when it has far more than its share,
  // again and again.
  void accuse_stragglers() {
    std::map<uint32_t, std::vector<const RankBlame*>> communicators;
    for (const RankBlame& blame : out_.ranks) communicators[blame.communicator].push_back(&blame);
    for (auto& [communicator, ranks] : communicators) {
      double rest = 0;
      for (const RankBlame* blame : ranks) rest += static_cast<double>(blame->excess_ns);
      std::sort(ranks.begin(), ranks.end(),
                [](const RankBlame* a, const RankBlame* b) { return a->excess_ns > b->excess_ns; });
      const double all = rest;
      uint64_t late_in_all = 0;
      for (const RankBlame* blame : ranks) late_in_all += blame->late;
      for (size_t i = 0; i + 1 < ranks.size(); ++i) {
        const RankBlame& blame = *ranks[i];
        const double left = static_cast<double>(ranks.size() - i);
        // By time or by number: a few long pauses of another rank must not hide the one that is
        // late every time.
        const double by_time = rest > 0 ? static_cast<double>(blame.excess_ns) / rest : 0;
        const double by_number =
            late_in_all > 0 ? static_cast<double>(blame.late) / static_cast<double>(late_in_all)
                            : 0;
        const double share = std::max(by_time, by_number);
        if (blame.late < 3 || !beyond_chance(blame.late, late_in_all, ranks.size()) ||
            share < 0.4 + 0.8 / left || static_cast<double>(blame.excess_ns) < 0.2 * all ||
            !matters(blame)) {
          continue;
        }
        accuse(blame, share);
        rest -= static_cast<double>(blame.excess_ns);
        late_in_all -= blame.late;
      }
    }
  }
  // At least 1 % of the time between the communicator's first and last operation.
  bool matters(const RankBlame& blame) {
    auto& [first, last] = spans_[blame.communicator];
    if (last == 0) {
      first = std::numeric_limits<int64_t>::max();
      for (const MatchRow& match : run_.matches) {
        if (match.communicator != blame.communicator || match.start_ns == kNoTime) continue;
        if (match.ordinal + match.replay != 0) first = std::min(first, match.start_ns);
        last = std::max(last, std::max(match.start_ns, match.finish_ns));
      }
    }
    return blame.excess_ns * 100 >= last - first;
  }

  // A rank's own late operations, the worst first; those that are chance beside its usual lateness
  // left out.
  std::vector<const LateOperation*> late_operations_of(const RankBlame& blame) const {
    std::vector<const LateOperation*> own;
    for (const LateOperation& late : out_.late) {
      if (late.origin == late.match && late.excess_ns * 2 >= blame.typical_ns &&
          run_.matches[late.match].communicator == blame.communicator &&
          run_.arrivals[late.arrival].rank == blame.rank) {
        own.push_back(&late);
      }
    }
    std::sort(own.begin(), own.end(), [](const LateOperation* a, const LateOperation* b) {
      return a->excess_ns > b->excess_ns;
    });
    return own;
  }

  std::string evidence_of(const LateOperation& late) const {
    const ArrivalRow& arrival = run_.arrivals[late.arrival];
    return "matches: " + operation_name(run_, run_.operations[arrival.operation]) + ", rank " +
           std::to_string(arrival.rank) + " came " +
           seconds_text(static_cast<double>(late.excess_ns) * 1e-9) +
           " after the median of the others (" + kCauseNames[static_cast<unsigned>(late.cause)] +
           "), row " + std::to_string(late.match) + " of " +
           std::to_string(run_.matches[late.match].arrivals) + " ranks";
  }

  void accuse(const RankBlame& blame, double share) {
    Finding finding;
    finding.kind = "straggler";
    finding.communicator = blame.communicator;
    finding.culprits = {blame.rank};
    finding.since_s = static_cast<double>(blame.excess_ns) * 1e-9;
    finding.confidence = std::min(0.99, share * (blame.late >= 10 ? 1.0 : 0.9));
    const std::vector<const LateOperation*> own = late_operations_of(blame);
    const MatchRow& match = run_.matches[own.front()->match];
    finding.func = match.func;
    finding.ordinal = match.ordinal;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      if (run_.arrivals[i].rank != blame.rank) finding.ranks.push_back(run_.arrivals[i].rank);
    }
    constexpr size_t kMostEvidence = 100;
    for (size_t i = 0; i < own.size() && i < kMostEvidence; ++i) {
      finding.evidence.push_back(evidence_of(*own[i]));
    }
    finding.text =
        "Rank " + std::to_string(blame.rank) + " of communicator " +
        communicator_name(run_, blame.communicator) + " came last and late in " +
        std::to_string(own.size()) + " of " + std::to_string(blame.operations) +
        " operations, typically by " + seconds_text(static_cast<double>(blame.typical_ns) * 1e-9) +
        " (" + kCauseNames[static_cast<unsigned>(blame.cause)] + "); the others waited " +
        seconds_text(static_cast<double>(blame.caused_wait_ns) * 1e-9) + " for it in all.";
    out_.findings.push_back(std::move(finding));
  }

  void accuse_path(const SlowPath& path) {
    Finding finding;
    const bool link = path.cause == Cause::NetworkSlow;
    finding.kind = link ? "slow_link" : "slow_proxy";
    finding.communicator = path.communicator;
    finding.culprits = {path.rank};
    finding.since_s = static_cast<double>(path.lost_ns) * 1e-9;
    finding.confidence = std::min(0.95, 0.5 + 0.1 * path.factor);
    char factor[32];
    snprintf(factor, sizeof factor, "%.1f", path.factor);
    const std::string own = seconds_text(static_cast<double>(path.typical_ns) * 1e-9);
    const std::string others = seconds_text(static_cast<double>(path.others_ns) * 1e-9);
    const std::string who = "rank " + std::to_string(path.rank);
    const char* column = path.never_waits ? " gpu_wait_ns + receive_wait_ns + peer_wait_ns median "
                         : link           ? " network_ns lower quartile "
                                          : " proxy_lag_ns lower quartile ";
    finding.evidence.push_back("operations: " + who + column + own +
                               " per operation, the other ranks' " + others + ", over " +
                               std::to_string(path.operations) + " operations");
    if (path.never_waits) {
      finding.text = "Everybody waits for " + who +
                     ", which never waits itself: its proxy thread falls behind";
    } else if (link) {
      finding.text = "What " + who + " sends takes " + factor +
                     " times as long in the network as the others' sends";
    } else {
      finding.text =
          "The proxy thread of " + who + " reacts " + factor + " times as slowly as the others'";
    }
    finding.text += " on communicator " + communicator_name(run_, path.communicator) + " (" + own +
                    " per operation against " + others + ").";
    out_.findings.push_back(std::move(finding));
  }

  void say_what_is_missing() {
    uint64_t apart = 0, many = 0;
    bool steps = false, network = false;
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
    if (network && !steps) {
      out_.not_known.push_back(
          "Which link is slow: network steps were not recorded (LOCKSTEP_EVENTS=step records "
          "them).");
    }
  }

  const RunTables& run_;
  std::vector<SlowPath> slow_;
  std::map<Key, std::vector<int64_t>> excesses_;
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
