#include "analysis/paths/slow_parts.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "analysis/paths/late_proxies.h"
#include "analysis/paths/part_candidates.h"
#include "analysis/paths/slow_transfers.h"
#include "analysis/paths/traces_of_starts.h"
#include "analysis/paths/ways_of_hosts.h"
#include "analysis/transfers/middle.h"
#include "analysis/whatif/what_if.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// A finding costs at least so much of the run's time.
constexpr double kLeastShareOfPart = 0.02;
// What is slow at a few moments only, of which nothing tells chance, costs more.
constexpr double kLeastShareOfSpells = 0.05;
// Of the best gain, what a smaller part must have to be accused instead.
constexpr double kMostOfBestPart = 0.8;
// Who gains nearly as much as the best: which of them it is cannot be told.
constexpr double kAsGood = 0.95;
constexpr double kTrifleBeside = 0.05;
constexpr size_t kMostParts = 8;
// Beside ranks that are late, what only ends show costs such a part of the run.
constexpr double kLeastShareBesideLate = 0.1;
// So many candidates are replayed, those first that have most to gain.
constexpr size_t kMostPartsReplayed = 24, kMostPairsReplayed = 8;

class PartSearch {
 public:
  PartSearch(const RunTables& run, const OwnSegments& own, Starts starts, SlowTransfers seen)
      : run_(run), own_(own), starts_(starts), no_lateness_(own_.segments.size()) {
    compared_ = std::move(seen.compared);
    within_clocks_ = std::move(seen.within_clocks);
    excesses_ = without_traces_of_starts(run, own_, starts, std::move(seen.excesses));
    cured_.resize(excesses_.size());
    for (uint32_t i = 0; i < excesses_.size(); ++i) {
      const size_t channel = excesses_[i].channel;
      if (channel >= by_channel_.size()) by_channel_.resize(channel + 1);
      by_channel_[channel].push_back(i);
    }
  }

  SlowParts find() {
    SlowParts parts{{}, std::move(within_clocks_)};
    if (excesses_.empty()) return parts;
    find_launches();
    what_if_.emplace(run_, own_, no_lateness_);
    if (what_if_->span_ns() <= 0) return parts;  // nothing but connections was set up
    while (parts.found.size() < kMostParts && find_next(&parts.found)) {
    }
    name_late_rounds(run_, own_, &parts.found);
    name_late_spells(run_, own_, &parts.found);
    join_ways_of_hosts(run_, own_, &parts.found);
    return parts;
  }

  // After find(): without any slow transfer the run would be so much shorter.
  int64_t gain_of_all_ns() {
    cured_.assign(excesses_.size(), 1);
    return replay({});
  }

 private:
  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  // Operations of one launch are one kernel, which ends with the last of them; the parts of an
  // all-to-all are those of its whole.
  void find_launches() {
    for (const uint32_t a : own_.order) {
      const uint32_t launch = own_.segments[a].launch;
      if (launch >= arrivals_of_.size()) arrivals_of_.resize(launch + 1);
      arrivals_of_[launch].push_back(a);
    }
    arrival_of_.assign(run_.operations.size(), kNoRow);
    for (uint32_t a = 0; a < run_.arrivals.size(); ++a) arrival_of_[run_.arrivals[a].operation] = a;
  }
  uint32_t launch_of(uint32_t arrival) const {
    const OperationRow& row = run_.operations[run_.arrivals[arrival].operation];
    const uint32_t whole = row.assembled == kNoRow ? arrival : arrival_of_[row.assembled];
    return whole == kNoRow || own_.segments[whole].actor == kNoRow ? kNoRow
                                                                   : own_.segments[whole].launch;
  }

  // What the run gains without these excesses, beside those that are cured already. The edges of
  // one operation add up; of its channels, as of several operations in a launch, the slowest counts.
  int64_t replay(const std::vector<uint32_t>& excesses) {
    std::vector<uint8_t> gone = cured_;
    for (const uint32_t i : excesses) gone[i] = 1;
    struct Times {
      int64_t all_ns = 0, left_ns = 0;
    };
    std::vector<Times> matches(run_.matches.size()), launches(arrivals_of_.size());
    for (const std::vector<uint32_t>& of_channel : by_channel_) {
      std::vector<Times> sums(of_channel.empty() ? 0 : matches.size());
      for (const uint32_t i : of_channel) {
        for (const uint32_t m : excesses_[i].matches) {
          sums[m].all_ns += excesses_[i].excess_ns;
          sums[m].left_ns += gone[i] != 0 ? 0 : excesses_[i].excess_ns;
        }
      }
      for (size_t m = 0; m < sums.size(); ++m) {
        matches[m].all_ns = std::max(matches[m].all_ns, sums[m].all_ns);
        matches[m].left_ns = std::max(matches[m].left_ns, sums[m].left_ns);
      }
    }
    for (uint32_t m = 0; m < matches.size(); ++m) {
      if (matches[m].all_ns == 0) continue;
      const MatchRow& match = run_.matches[m];
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        const uint32_t launch = launch_of(a);
        if (launch == kNoRow) continue;
        launches[launch].all_ns = std::max(launches[launch].all_ns, matches[m].all_ns);
        launches[launch].left_ns = std::max(launches[launch].left_ns, matches[m].left_ns);
      }
    }
    std::vector<int64_t> saved(own_.segments.size());
    for (uint32_t launch = 0; launch < launches.size(); ++launch) {
      const int64_t less_ns = launches[launch].all_ns - launches[launch].left_ns;
      if (less_ns == 0) continue;
      for (const uint32_t a : arrivals_of_[launch]) {
        const Segment& segment = own_.segments[a];
        const int64_t begun_ns =
            segment.waits ? own_.last_start_ns[run_.arrivals[a].match] : segment.start_ns;
        saved[a] = std::min(less_ns, (segment.end_ns - begun_ns) * 9 / 10);
      }
    }
    return what_if_->gain_of_transfers_ns(saved);
  }

  // A trifle that a rank has beside what it shares with another does not tell which of them it is.
  bool matters_beside(uint32_t i, const PartCandidate& candidate) const {
    return all_ns(excesses_[i]) > analysis::part_of(candidate.at_most_ns, kTrifleBeside);
  }

  bool find_next(std::vector<SlowPart>* found) {
    const int64_t base_ns = replay({});
    const auto least_ns =
        static_cast<int64_t>(kLeastShareOfPart * static_cast<double>(what_if_->span_ns()));
    const PartCandidates makes(run_, own_, excesses_, cured_);
    std::vector<PartCandidate> all = makes.all();
    const int64_t best_ns = replay_all(kMostPartsReplayed, base_ns, &all);
    if (best_ns < least_ns || best_ns <= 0) return false;
    const PartCandidate* chosen = nullptr;
    bool several = false;
    for (const PartSize size : {PartSize::Edge, PartSize::Rank, PartSize::Way, PartSize::Host}) {
      int64_t of_size_ns = 0;
      for (const PartCandidate& one : all) {
        if (one.size == size && one.gain_ns > of_size_ns) chosen = &one, of_size_ns = one.gain_ns;
      }
      if (static_cast<double>(of_size_ns) < kMostOfBestPart * static_cast<double>(best_ns))
        continue;
      several = std::any_of(all.begin(), all.end(), [&](const PartCandidate& one) {
        return one.size == size && &one != chosen && is_as_good(one, *chosen);
      });
      break;
    }
    if (const PartCandidate* common = several ? explains_most(all, *chosen) : nullptr) {
      chosen = common;
      several = false;
    }
    if (!several) {
      const std::vector<const PartCandidate*> ends = slow_elsewhere(all, *chosen);
      if (!ends.empty()) chosen = ends.front();
      several = ends.size() > 1;
    }
    const Ends ends = several ? tell_ends(all, *chosen) : Ends();
    if (ends.suspect != nullptr) {
      SlowPart part = part_of(*ends.suspect);
      part.peer = ends.fine->actor;
      part.peer_host = ends.fine->host;
      part.host = false;
      part.both_ways = true;
      cure(part);
      found->push_back(std::move(part));
      return true;
    }
    std::vector<PartCandidate> pairs;
    if (several && chosen->size != PartSize::Edge) {
      // Either end would explain it: so it is what lies between them.
      pairs = makes.pairs(chosen->size == PartSize::Rank ? PartSize::Pair : PartSize::Pairs);
      const int64_t of_pairs_ns = replay_all(kMostPairsReplayed, base_ns, &pairs);
      if (of_pairs_ns >= least_ns &&
          static_cast<double>(of_pairs_ns) >= kMostOfBestPart * static_cast<double>(best_ns)) {
        chosen = &*std::max_element(pairs.begin(), pairs.end(), gains_less);
        several = std::any_of(pairs.begin(), pairs.end(), [&](const PartCandidate& one) {
          return &one != chosen && is_as_good(one, *chosen);
        });
      }
    }
    // Which of them it is cannot be told; something else may be slow, too.
    if (several && chosen->size != PartSize::Edge) {
      const std::vector<const PartCandidate*> equals = as_good_as(all, *chosen);
      PartCandidate inside = *chosen;
      inside.excesses = exchanged_inside_a_host(equals);
      inside.gain_ns = inside.excesses.empty() ? 0 : replay(inside.excesses) - base_ns;
      if (inside.gain_ns > 0 && is_as_good(inside, *chosen)) {
        SlowPart part = part_of(inside);
        part.actors = excesses_[inside.excesses.front()].actors;
        part.both_ends = part.inside_host = true;
        found->push_back(std::move(part));
      }
      for (const PartCandidate* one : equals) {
        for (const uint32_t i : one->excesses) cured_[i] = 1;
      }
      return true;
    }
    const SlowPart part = part_of(*chosen);
    cure(part);
    if (is_worth_naming(part)) found->push_back(part);
    return true;
  }

  static std::vector<const PartCandidate*> as_good_as(const std::vector<PartCandidate>& all,
                                                      const PartCandidate& chosen) {
    std::vector<const PartCandidate*> equals;
    for (const PartCandidate& one : all) {
      if (one.size == chosen.size && is_as_good(one, chosen)) equals.push_back(&one);
    }
    return equals;
  }
  // Of what slows ranks, what these, and no others, do together inside one host, more slowly than others elsewhere:
  // what takes longer there at times is their threads' doing as often as the links'.
  std::vector<uint32_t> exchanged_inside_a_host(
      const std::vector<const PartCandidate*>& ranks) const {
    const PartCandidate& first = *ranks.front();
    std::vector<uint32_t> found;
    if (first.size != PartSize::Rank) return found;
    const auto takes_part = [&](uint32_t i, const PartCandidate& one) {
      const auto& actors = excesses_[i].actors;
      return std::count(actors.begin(), actors.end(), one.actor) != 0 &&
             host_of(one.actor) == host_of(first.actor);
    };
    std::copy_if(
        first.excesses.begin(), first.excesses.end(), std::back_inserter(found), [&](uint32_t i) {
          return excesses_[i].side == SlowSide::Anybody && excesses_[i].compared &&
                 excesses_[i].actors.size() == ranks.size() &&
                 std::all_of(ranks.begin(), ranks.end(),
                             [&](const PartCandidate* one) { return takes_part(i, *one); });
        });
    return found;
  }

  // Of ranks that cost as much, as those of a communicator inside one host, the one that takes part in all that
  // the others do and in slow transfers beside it.
  const PartCandidate* explains_most(const std::vector<PartCandidate>& all,
                                     const PartCandidate& chosen) const {
    if (chosen.size != PartSize::Rank) return nullptr;
    const auto covers = [&](const PartCandidate& one, const PartCandidate& other) {
      return std::includes(one.excesses.begin(), one.excesses.end(), other.excesses.begin(),
                           other.excesses.end()) &&
             std::any_of(one.excesses.begin(), one.excesses.end(), [&](uint32_t i) {
               return excesses_[i].sure && matters_beside(i, other) &&
                      std::count(other.excesses.begin(), other.excesses.end(), i) == 0;
             });
    };
    const auto at = std::find_if(all.begin(), all.end(), [&](const PartCandidate& one) {
      return one.size == PartSize::Rank && is_as_good(one, chosen) &&
             std::all_of(all.begin(), all.end(), [&](const PartCandidate& other) {
               return &one == &other || other.size != PartSize::Rank ||
                      !is_as_good(other, chosen) || covers(one, other);
             });
    });
    return at == all.end() ? nullptr : &*at;
  }

  // Channels work at the same time, and only the slowest costs anything. So where an edge, or a way, costs all there is
  // to win, what is slow on other channels of its operations tells whether one of its ends is slow altogether.
  std::vector<const PartCandidate*> slow_elsewhere(const std::vector<PartCandidate>& all,
                                                   const PartCandidate& chosen) const {
    std::vector<const PartCandidate*> ends;
    if (chosen.size != PartSize::Edge && chosen.size != PartSize::Way) return ends;
    const PartSize of_end = chosen.size == PartSize::Edge ? PartSize::Rank : PartSize::Host;
    const auto is_elsewhere = [&](uint32_t i) {
      return excesses_[i].sure &&
             std::all_of(chosen.excesses.begin(), chosen.excesses.end(), [&](uint32_t own) {
               return excesses_[own].channel != excesses_[i].channel;
             });
    };
    for (const PartCandidate& one : all) {
      if (one.size != of_end || !std::includes(one.excesses.begin(), one.excesses.end(),
                                               chosen.excesses.begin(), chosen.excesses.end()))
        continue;
      const bool tells = std::any_of(one.excesses.begin(), one.excesses.end(), [&](uint32_t i) {
        return is_elsewhere(i) && matters_beside(i, one);
      });
      if (tells) ends.push_back(&one);
    }
    // All that is slow of the one end is between both, and of the other there is more.
    const auto is_less = [&](const PartCandidate* one, const PartCandidate* other) {
      return one->excesses.size() < other->excesses.size() &&
             std::includes(other->excesses.begin(), other->excesses.end(), one->excesses.begin(),
                           one->excesses.end());
    };
    if (ends.size() == 2 && is_less(ends[0], ends[1])) return {ends[1]};
    if (ends.size() == 2 && is_less(ends[1], ends[0])) return {ends[0]};
    return ends;
  }

  // Of two ranks, or two hosts, that explain equally well why what they exchange is slow, the one whose other
  // ways are as fast as others in both directions is fine.
  struct Ends {
    const PartCandidate *suspect = nullptr, *fine = nullptr;
  };
  Ends tell_ends(const std::vector<PartCandidate>& all, const PartCandidate& chosen) const {
    const std::vector<const PartCandidate*> ends = as_good_as(all, chosen);
    if ((chosen.size != PartSize::Rank && chosen.size != PartSize::Host) || ends.size() != 2)
      return {};
    const PartCandidate &a = *ends[0], &b = *ends[1];
    const auto sends = [&](const PartCandidate& from, const PartCandidate& to) {
      return std::any_of(from.excesses.begin(), from.excesses.end(), [&](uint32_t i) {
        const auto& actors = excesses_[i].actors;
        return actors.size() == 2 && is_at(actors[0], from) && is_at(actors[1], to);
      });
    };
    if (!sends(a, b) || !sends(b, a) || is_fine(a, b) == is_fine(b, a)) return {};
    return is_fine(a, b) ? Ends{&b, &a} : Ends{&a, &b};
  }
  bool is_at(uint32_t actor, const PartCandidate& end) const {
    return end.size == PartSize::Rank ? actor == end.actor : host_of(actor) == end.host;
  }
  // Beside what it exchanges with the other.
  bool is_fine(const PartCandidate& end, const PartCandidate& other) const {
    bool sends = false, receives = false;
    for (const auto& [from, to] : compared_) {
      const bool from_end = is_at(from, end), to_end = is_at(to, end);
      if ((!from_end && !to_end) || is_at(from, other) || is_at(to, other)) continue;
      const std::vector<uint32_t> edge{from, to};
      for (uint32_t i = 0; i < excesses_.size(); ++i) {
        if (excesses_[i].actors == edge && matters_beside(i, end)) return false;
      }
      (from_end ? sends : receives) = true;
    }
    return sends && receives;
  }

  // What the run gains without each of those that have most to gain; the others go. Returns the most.
  int64_t replay_all(size_t most, int64_t base_ns, std::vector<PartCandidate>* all) {
    std::stable_sort(all->begin(), all->end(), [](const PartCandidate& a, const PartCandidate& b) {
      return a.at_most_ns > b.at_most_ns;
    });
    if (all->size() > most) all->resize(most);
    int64_t best_ns = 0;
    for (PartCandidate& one : *all) {
      one.gain_ns = replay(one.excesses) - base_ns;
      best_ns = std::max(best_ns, one.gain_ns);
    }
    return best_ns;
  }
  static bool gains_less(const PartCandidate& a, const PartCandidate& b) {
    return a.gain_ns < b.gain_ns;
  }

  static bool is_as_good(const PartCandidate& one, const PartCandidate& best) {
    return static_cast<double>(one.gain_ns) >= kAsGood * static_cast<double>(best.gain_ns);
  }

  bool is_worth_naming(const SlowPart& part) const {
    return starts_ == Starts::NobodyIsLate || part.sure || !is_by_ends(part.side) ||
           static_cast<double>(part.gain_ns) >=
               kLeastShareBesideLate * static_cast<double>(part.span_ns);
  }

  // All that the accused take part in: what is left of it would accuse them again, or their peers.
  void cure(const SlowPart& part) {
    for (size_t i = 0; i < excesses_.size(); ++i) {
      const auto& actors = excesses_[i].actors;
      for (const uint32_t actor : part.actors)
        cured_[i] = cured_[i] != 0 || std::count(actors.begin(), actors.end(), actor) != 0;
    }
  }

  SlowPart part_of(const PartCandidate& candidate) const {
    SlowPart part;
    part.gain_ns = candidate.gain_ns;
    part.span_ns = what_if_->span_ns();
    part.host = candidate.size == PartSize::Host;
    part.both_ends = candidate.size == PartSize::Pair || candidate.size == PartSize::Pairs;
    const TransferExcess* worst = nullptr;
    std::map<SlowSide, int64_t> sides;
    int64_t steady_ns = 0, unsteady_ns = 0, inside_ns = 0;
    for (const uint32_t i : candidate.excesses) {
      const TransferExcess& excess = excesses_[i];
      part.excesses.push_back(excess);
      sides[excess.side] += all_ns(excess);
      (excess.steady ? steady_ns : unsteady_ns) += all_ns(excess);
      if (is_inside_a_host(excess)) inside_ns += all_ns(excess);
      if (worst == nullptr || all_ns(excess) > all_ns(*worst)) worst = &excess;
    }
    part.steady = steady_ns >= unsteady_ns;
    part.communicator = worst->communicator;
    part.usual_ns = worst->usual_ns;
    part.of_tree = worst->of_tree;
    part.sure = worst->sure;
    part.took_ns = worst->usual_ns + worst->excess_ns;
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    part.side = std::max_element(sides.begin(), sides.end(), less)->first;
    const bool receiver = is_of_receiver(part.side);
    if (candidate.size == PartSize::Host) {
      part.actors = actors_on(run_, own_, candidate.host);
    } else if (part.both_ends) {
      std::set<uint32_t> ranks;
      for (const uint32_t i : candidate.excesses)
        ranks.insert(excesses_[i].actors.begin(), excesses_[i].actors.end());
      part.actors.assign(ranks.begin(), ranks.end());
    } else if (candidate.size == PartSize::Way) {
      std::set<uint32_t> ranks;
      for (const uint32_t i : candidate.excesses)
        ranks.insert(excesses_[i].actors[receiver ? 1 : 0]);
      part.actors.assign(ranks.begin(), ranks.end());
      part.peer_host = receiver ? candidate.host : candidate.to;
    } else if (candidate.size == PartSize::Edge) {
      part.actors = {receiver ? candidate.peer : candidate.actor};
      part.peer = receiver ? candidate.actor : candidate.peer;
    } else {
      part.actors = {candidate.actor};
      part.inside_host = 2 * inside_ns >= candidate.at_most_ns;
      // Several receive late, from it.
      if (is_of_receiver(part.side) && part.side != SlowSide::ReceiverGpu && sends_most(candidate))
        part.side = SlowSide::Way;
    }
    return part;
  }

  // What ranks of one host exchange; not what a rank alone holds up.
  bool is_inside_a_host(const TransferExcess& one) const {
    return one.actors.size() > 1 &&
           std::all_of(one.actors.begin(), one.actors.end(), [&](uint32_t actor) {
             return host_of(actor) == host_of(one.actors.front());
           });
  }
  bool sends_most(const PartCandidate& rank) const {
    int64_t sent_ns = 0;
    for (const uint32_t i : rank.excesses) {
      const auto& actors = excesses_[i].actors;
      if (actors.size() == 2 && actors.front() == rank.actor) sent_ns += all_ns(excesses_[i]);
    }
    return sent_ns >= analysis::part_of(rank.at_most_ns, kMostOfBestPart);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Starts starts_;
  const std::vector<int64_t> no_lateness_;
  std::set<std::pair<uint32_t, uint32_t>> compared_;  // sends: sender, receiver
  std::vector<TransferExcess> excesses_;
  std::vector<WithinClocks> within_clocks_;
  std::vector<uint8_t> cured_;                      // by excess: accused already
  std::vector<std::vector<uint32_t>> by_channel_;   // rows of excesses_
  std::vector<std::vector<uint32_t>> arrivals_of_;  // by launch
  std::vector<uint32_t> arrival_of_;                // by operation
  std::optional<WhatIf> what_if_;
};

// Where the whole network is slow at times, no part of it has all of that in common.
bool is_cause_of_all(const SlowPart& part, int64_t gain_of_all_ns) {
  return part.gain_ns >= part_of(part.span_ns, kLeastShareOfSpells) &&
         part.gain_ns >= part_of(gain_of_all_ns, kMostOfBestPart);
}

}  // namespace

SlowParts find_slow_parts(const RunTables& run, const FollowedRun& followed, Starts starts) {
  const OwnSegments& own = followed.own;
  SlowParts parts = PartSearch(run, own, starts, find_slow_transfers(run, followed)).find();
  if (!parts.found.empty()) return parts;
  // Beside ranks that are late, what a thread does between two steps is its own all the same.
  const Spells which = starts == Starts::NobodyIsLate ? Spells::OfAll : Spells::OfProxies;
  PartSearch search(run, own, starts, find_slow_at_times(run, own, which));
  SlowParts spells = search.find();
  if (spells.found.size() == 1 && is_cause_of_all(spells.found.front(), search.gain_of_all_ns()))
    parts.found = std::move(spells.found);
  return parts;
}

}  // namespace lockstep::analysis
