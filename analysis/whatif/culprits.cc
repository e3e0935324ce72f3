#include "analysis/whatif/culprits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/chance/path_chance.h"
#include "analysis/chance/resample.h"
#include "analysis/whatif/caused_waits.h"
#include "analysis/whatif/hands_out.h"
#include "analysis/whatif/own_work.h"
#include "analysis/whatif/rank_sets.h"
#include "analysis/whatif/when_late.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// A finding costs at least so much of the run's time,
constexpr double kLeastShare = 0.02;
// so many times what a rank typically costs,
constexpr double kTimesTypical = 4;
// and noise would give anybody its occasions less often than this; where they cost such a part of the
// run and nobody else has any as bad, who it was matters more than why, and the more they cost the more so.
// What costs little is more often noise than a fault, so chance must be less for it, but for who warms up
// slowly, which takes a few steps at most.
constexpr double kMostChance = 0.07, kMostChanceOfMuch = 0.3, kMuch = 0.1;
constexpr double kMostChanceOfLittle = 0.01, kLittle = 0.05;
// Of the best gain, what a smaller set must have to be accused instead.
constexpr double kMostOfBest = 0.8;
// Of what a set gains, what its ranks gain one by one: who is late on his own gains all of it.
constexpr double kMostAlone = 0.52;
constexpr size_t kFewestOccasions = 2;
// Fewer trials do not tell much of ranks that are late in all of them.
constexpr size_t kFewTrials = 16;
// Clock reads, cache misses and interrupts alone make ranks late by so much.
constexpr int64_t kLeastTypicalNs = 50'000;
// A trifle beside the worst culprit is none: curing that one leaves the rest inexactly known.
constexpr double kTrifle = 0.1;
// Likewise, and more of it, what is left of a set when one of its ranks is cured.
constexpr double kTrifleOfRest = 0.3;
constexpr size_t kMostCulprits = 16;
// Who costs such a part of the run is worth a word, if only that chance is not excluded.
constexpr double kWorthASuspicion = 0.05;
// So many ranks are replayed one by one, and members of a set left out in turn.
constexpr size_t kMostReplayed = 64;

struct Candidate {
  std::vector<uint32_t> actors;  // sorted
  bool host = false;
  int64_t at_most_ns = 0;  // its excess on the critical path: no replay can gain more
  int64_t gain_ns = 0;
};

class Search {
 public:
  Search(const RunTables& run, const OwnSegments& own, const Roles& roles, const Excesses& excesses)
      : run_(run), own_(own), roles_(roles), excesses_(excesses), what_if_(run, own, excesses.ns) {}

  Culprits find() {
    cured_.assign(own_.actors.size(), 0);
    active_.assign(own_.actors.size(), 0);
    for (const uint32_t a : own_.order) active_[own_.segments[a].actor] = 1;
    find_sets();
    begin_of_.assign(own_.actors.size() + 1, own_.order.size());
    for (size_t i = own_.order.size(); i-- > 0;) begin_of_[own_.segments[own_.order[i]].actor] = i;
    for (size_t actor = own_.actors.size(); actor-- > 0;)
      begin_of_[actor] = std::min(begin_of_[actor], begin_of_[actor + 1]);
    Culprits all;
    std::vector<Culprit>& found = all.found;
    // Where nothing but connections was set up, there is no time that a gain is a share of.
    while (what_if_.span_ns() > 0 && found.size() < kMostCulprits) {
      Culprit culprit;
      if (!find_next(&culprit)) break;
      for (const uint32_t actor : culprit.actors) cured_[actor] = 1;
      if (culprit.hands_out) {
        forget_sets_with(culprit.actors.front());
        all.suspected.push_back(std::move(culprit));
        continue;
      }
      worst_ns_ = std::max(worst_ns_, culprit.gain_ns);
      found.push_back(std::move(culprit));
    }
    const bool accused = std::any_of(suspected_.actors.begin(), suspected_.actors.end(),
                                     [&](uint32_t actor) { return cured_[actor] != 0; });
    if (!accused && !suspected_.actors.empty()) all.suspected.push_back(std::move(suspected_));
    return all;
  }

 private:
  size_t suspects() const {
    size_t count = 0;
    for (size_t i = 0; i < active_.size(); ++i) count += active_[i] != 0 && cured_[i] == 0;
    return count;
  }

  void find_sets() {
    for (RankSet& set : sets_of_ranks(run_, own_, active_)) {
      Candidate& one = sets_.emplace_back();
      one.actors = std::move(set.actors);
      one.host = set.host;
    }
  }

  // What others have in common with who hands out the work is that they wait for it.
  void forget_sets_with(uint32_t actor) {
    sets_.erase(std::remove_if(sets_.begin(), sets_.end(),
                               [&](const Candidate& set) { return is_in(set, actor); }),
                sets_.end());
  }

  int64_t replay(const std::vector<uint32_t>& actors) {
    std::vector<uint8_t> cured = cured_;
    for (const uint32_t actor : actors) cured[actor] = 1;
    return what_if_.gain_ns(cured) - base_ns_;
  }

  bool find_next(Culprit* culprit) {
    base_ns_ = what_if_.gain_ns(cured_);
    path_ = what_if_.critical_path(cured_);
    on_path_ns_.assign(own_.actors.size(), 0);
    for (const PathPiece& piece : path_)
      on_path_ns_[own_.segments[piece.arrival].actor] += piece.excess_ns;
    const auto least_ns =
        static_cast<int64_t>(std::max(kLeastShare * static_cast<double>(what_if_.span_ns()),
                                      kTrifle * static_cast<double>(worst_ns_)));
    std::vector<Candidate> ranks = replay_ranks(least_ns);
    std::vector<Candidate> sets = replay_sets(least_ns, ranks.empty() ? 0 : ranks.front().gain_ns);
    while (!ranks.empty() || !sets.empty()) {
      const int64_t best_ns = std::max(ranks.empty() ? 0 : ranks.front().gain_ns,
                                       sets.empty() ? 0 : sets.front().gain_ns);
      if (best_ns < least_ns || best_ns <= 0) return false;
      const bool rank_suffices = !ranks.empty() && static_cast<double>(ranks.front().gain_ns) >=
                                                       kMostOfBest * static_cast<double>(best_ns);
      std::vector<Candidate>& from = rank_suffices ? ranks : sets;
      const auto chosen = rank_suffices ? from.begin() : smallest(&from, best_ns);
      const bool accused = rank_suffices || are_late_together(&*chosen);
      if (accused && accuse(*chosen, culprit)) return true;
      from.erase(chosen);
    }
    return false;
  }

  // The best first; of many ranks only those that can matter.
  std::vector<Candidate> replay_ranks(int64_t least_ns) {
    std::vector<Candidate> ranks;
    const bool all = suspects() <= kMostReplayed;
    gains_.clear();
    for (uint32_t i = 0; i < own_.actors.size(); ++i) {
      if (active_[i] == 0 || cured_[i] != 0) continue;
      Candidate one;
      one.actors = {i};
      one.at_most_ns = one.gain_ns = on_path_ns_[i];
      if (one.at_most_ns >= least_ns || (all && one.at_most_ns > 0)) one.gain_ns = replay({i});
      gains_[i] = one.gain_ns;
      if (one.gain_ns >= least_ns) ranks.push_back(one);
    }
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain_ns > b.gain_ns; });
    return ranks;
  }
  // Those that gain clearly more than the best rank, the best first.
  std::vector<Candidate> replay_sets(int64_t least_ns, int64_t best_rank_ns) {
    std::vector<Candidate> sets;
    const auto least_of_rest_ns =
        static_cast<int64_t>(kTrifleOfRest * static_cast<double>(worst_ns_));
    for (Candidate set : sets_) {
      set.at_most_ns = 0;
      for (const uint32_t actor : set.actors) set.at_most_ns += on_path_ns_[actor];
      const bool is_rest = std::any_of(set.actors.begin(), set.actors.end(),
                                       [&](uint32_t actor) { return cured_[actor] != 0; });
      const int64_t least_of_set_ns = is_rest ? std::max(least_ns, least_of_rest_ns) : least_ns;
      if (set.at_most_ns < least_of_set_ns ||
          static_cast<double>(set.at_most_ns) * kMostOfBest <= static_cast<double>(best_rank_ns))
        continue;
      set.gain_ns = replay(set.actors);
      if (set.gain_ns >= least_of_set_ns) sets.push_back(std::move(set));
    }
    std::stable_sort(sets.begin(), sets.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain_ns > b.gain_ns; });
    return sets;
  }
  static std::vector<Candidate>::iterator smallest(std::vector<Candidate>* sets, int64_t best_ns) {
    auto chosen = sets->begin();
    for (auto one = sets->begin(); one != sets->end(); ++one) {
      if (static_cast<double>(one->gain_ns) >= kMostOfBest * static_cast<double>(best_ns) &&
          one->actors.size() < chosen->actors.size())
        chosen = one;
    }
    return chosen;
  }

  // A set is one cause where curing its ranks one by one gains far less than curing all of them does:
  // they hold the run up at the same moments. Ranks that add nothing leave the set.
  bool are_late_together(Candidate* set) {
    int64_t single_ns = 0;
    for (const uint32_t actor : set->actors) single_ns += gains_[actor];
    if (static_cast<double>(single_ns) >= kMostAlone * static_cast<double>(set->gain_ns))
      return false;
    if (set->actors.size() > kMostReplayed) return true;
    std::vector<uint32_t> kept = set->actors;
    for (const uint32_t actor : set->actors) {
      if (kept.size() == 1) break;
      std::vector<uint32_t> fewer;
      for (const uint32_t other : kept) {
        if (other != actor) fewer.push_back(other);
      }
      if (static_cast<double>(replay(fewer)) >= 0.95 * static_cast<double>(set->gain_ns))
        kept = std::move(fewer);
    }
    const bool most = kept.size() * 2 > set->actors.size();
    set->host = set->host && kept.size() == set->actors.size();
    set->actors = std::move(kept);
    set->gain_ns = replay(set->actors);
    return most && set->actors.size() > 1;
  }

  // What ranks that are not in the set typically gain, and other sets of the same kind: noise.
  int64_t typical_gain(const Candidate& candidate) {
    std::vector<int64_t> others;
    for (const auto& [actor, gain_ns] : gains_) {
      if (!std::binary_search(candidate.actors.begin(), candidate.actors.end(), actor))
        others.push_back(gain_ns);
    }
    const auto size = static_cast<int64_t>(candidate.actors.size());
    const int64_t single_ns = size * lower_median(&others);
    return size == 1 ? single_ns : std::max(single_ns, typical_gain_of_sets(candidate));
  }
  int64_t typical_gain_of_sets(const Candidate& candidate) {
    std::vector<int64_t> others;
    for (const Candidate& set : sets_) {
      if (set.host != candidate.host || set.actors.size() != candidate.actors.size()) continue;
      const bool apart = std::none_of(set.actors.begin(), set.actors.end(), [&](uint32_t actor) {
        return cured_[actor] != 0 ||
               std::binary_search(candidate.actors.begin(), candidate.actors.end(), actor);
      });
      if (apart && others.size() < kMostReplayed) others.push_back(replay(set.actors));
    }
    return lower_median(&others);
  }

  bool accuse(const Candidate& candidate, Culprit* culprit) {
    const int64_t typical_ns = typical_gain(candidate);
    const size_t left = suspects();
    const double least_ns = kTimesTypical * static_cast<double>(typical_ns);
    const bool stands_out = static_cast<double>(candidate.gain_ns) >= least_ns;
    // Of two ranks that are both late neither does, and either may deserve suspicion.
    if (left <= candidate.actors.size() || (!stands_out && gains_.size() > 2)) return false;
    *culprit = Culprit();  // nothing of a candidate that was looked at before
    culprit->actors = candidate.actors;
    culprit->host = candidate.host;
    culprit->gain_ns = candidate.gain_ns;
    culprit->first_ns = what_if_.first_ns();
    culprit->span_ns = what_if_.span_ns();
    culprit->alone = std::all_of(candidate.actors.begin(), candidate.actors.end(),
                                 [&](uint32_t actor) { return excesses_.alone[actor] != 0; });
    collect_occasions(candidate, culprit);
    if (candidate.actors.size() > 1 &&
        !share_occasions(run_, own_, excesses_, candidate.actors, culprit->occasions))
      return false;
    if (by_kernels(*culprit) && does_work_of_its_own(candidate) &&
        may_be_its_work(run_, own_, roles_, excesses_,
                        {candidate.actors.front(), culprit->occasions, culprit->first_ns,
                         culprit->first_ns + culprit->span_ns}))
      return false;
    const double share =
        static_cast<double>(culprit->gain_ns) / static_cast<double>(culprit->span_ns);
    const bool much = culprit->beside_none && by_kernels(*culprit) && share >= kMuch;
    const bool little = share < kLittle && !is_at_start(*culprit);
    const double most_chance = much     ? kMostChanceOfMuch * share / kMuch
                               : little ? kMostChanceOfLittle
                                        : kMostChance;
    if (!stands_out || culprit->chance > most_chance || !holds_without_worst(*culprit, least_ns)) {
      if (share >= kWorthASuspicion && !culprit->occasions.empty() && suspected_.gain_ns == 0)
        suspected_ = *culprit;
      return false;
    }
    std::stable_sort(culprit->actors.begin(), culprit->actors.end(),
                     [&](uint32_t a, uint32_t b) { return on_path_ns_[a] > on_path_ns_[b]; });
    culprit->stable = share_of_resamples(candidate, least_ns);
    culprit->rounds = rounds_of(culprit->actors.front());
    culprit->hands_out =
        candidate.actors.size() == 1 && may_have_had_no_work(run_, culprit->occasions);
    return true;
  }

  bool is_at_start(const Culprit& culprit) const {
    const int64_t from_start_ns =
        culprit.occasions.empty()
            ? 0
            : own_.segments[culprit.occasions.back().arrival].start_ns - culprit.first_ns;
    return from_start_ns < culprit.span_ns / 3;  // as pattern_of() has it
  }

  // Calls alone run ahead, and may wait for what comes late.
  bool by_kernels(const Culprit& culprit) const {
    return std::all_of(culprit.occasions.begin(), culprit.occasions.end(),
                       [&](const Occasion& one) {
                         return run_.arrivals[one.arrival].basis == ArrivalBasis::KernelStart;
                       });
  }

  // No single moment makes a culprit: without its worst it must still be beyond noise, and cost half
  // of what matters.
  bool holds_without_worst(const Culprit& culprit, double least_ns) const {
    int64_t all_ns = 0, worst_ns = 0;
    for (const Occasion& one : culprit.occasions) {
      all_ns += one.excess_ns;
      worst_ns = std::max(worst_ns, one.excess_ns);
    }
    if (all_ns == 0) return false;
    const double left_ns = static_cast<double>(culprit.gain_ns) *
                           static_cast<double>(all_ns - worst_ns) / static_cast<double>(all_ns);
    // Of few others nobody knows well what is typical; of one there is nothing to know.
    const size_t others = gains_.size() - culprit.actors.size();
    const double unknown = others < 2 ? 1 : 1 + 0.5 / static_cast<double>(others);
    return left_ns >= kLeastShare / 2 * static_cast<double>(culprit.span_ns) &&
           left_ns >= unknown * least_ns;
  }

  uint32_t trial_of(const PathPiece& piece) const {
    return excesses_.trial[own_.segments[piece.arrival].launch];
  }

  // By what it calls: steps that are told by how long they take may be told by the lateness itself.
  uint64_t rounds_of(uint32_t actor) const {
    std::vector<uint64_t> calls;
    uint32_t last = kNoRow;
    for (size_t i = begin_of_[actor]; i < begin_of_[actor + 1]; ++i) {
      const uint32_t a = own_.order[i], launch = own_.segments[a].launch;
      if (launch != last) calls.push_back(roles_.call[a]);
      last = launch;
    }
    return calls.size() / round_of(calls);
  }

  // How late a rank begins shows nothing: that depends on what it loads.
  bool follows(const PathPiece& piece) const {
    return own_.segments[piece.arrival].before != kNoRow;
  }

  static bool is_in(const Candidate& candidate, uint32_t actor) {
    return std::binary_search(candidate.actors.begin(), candidate.actors.end(), actor);
  }
  bool is_of(const Candidate& candidate, const PathPiece& piece) const {
    return is_in(candidate, own_.segments[piece.arrival].actor);
  }

  void collect_occasions(const Candidate& candidate, Culprit* culprit) const {
    std::vector<int64_t> excesses;
    for (const PathPiece& piece : path_) {
      if (is_of(candidate, piece) && piece.excess_ns > 0 && follows(piece))
        excesses.push_back(piece.excess_ns);
    }
    const int64_t typical_ns = half_of_sum(&excesses);
    if (typical_ns < kLeastTypicalNs) return;
    const Waiting waiting{run_, own_, path_, begin_of_, what_if_.first_ns() + what_if_.span_ns()};
    std::vector<PathLoss> losses;
    std::set<uint32_t> own;  // trials
    for (size_t i = 0; i < path_.size(); ++i) {
      const PathPiece& piece = path_[i];
      if (piece.excess_ns * 2 < typical_ns || !follows(piece)) continue;
      if (is_of(candidate, piece)) {
        const int64_t waited_ns = longest_caused_wait(waiting, candidate.actors, i);
        if (waited_ns == 0) continue;
        culprit->occasions.push_back({piece.arrival, piece.excess_ns, waited_ns});
        own.insert(trial_of(piece));
      }
      losses.push_back({i, own_.segments[piece.arrival].actor, piece.excess_ns});
    }
    if (own.size() < kFewestOccasions || lie_in_one_step(*culprit)) return;
    std::vector<uint32_t> trials, steps;
    for (const PathPiece& piece : path_) {
      trials.push_back(trial_of(piece));
      steps.push_back(run_.matches[run_.arrivals[piece.arrival].match].step);
    }
    const Compared compared = compared_with(candidate);
    culprit->chance = chance_on_path(losses, trials, compared);
    culprit->beside_none = std::all_of(losses.begin(), losses.end(), [&](const PathLoss& loss) {
      return compared.set[loss.actor] != 0;
    });
    // Where what comes now and then, as an evaluation, was taken for the mark of a step, trials are too
    // long to tell: then the steps by periodicity are, unless the set is late in some of the trials only.
    const std::set<uint32_t> all(trials.begin(), trials.end());
    const auto covered = std::count_if(trials.begin(), trials.end(),
                                       [&](uint32_t trial) { return own.count(trial) != 0; });
    if (all.size() < kFewTrials && static_cast<size_t>(covered) * 4 >= trials.size() * 3 &&
        know_steps(losses, steps))
      culprit->chance = std::min(culprit->chance, chance_on_path(losses, steps, compared));
  }
  // Those without are one step more, to be on the safe side.
  static bool know_steps(const std::vector<PathLoss>& losses, const std::vector<uint32_t>& steps) {
    const auto without = std::count_if(losses.begin(), losses.end(), [&](const PathLoss& loss) {
      return steps[loss.place] == kNoRow;
    });
    return static_cast<size_t>(without) * 4 <= losses.size();
  }

  // Which call a training step begins with is not known, so that one step may reach into two trials.
  bool lie_in_one_step(const Culprit& culprit) const {
    uint32_t first = kNoRow, last = 0;  // launches, from the first of each rank on
    for (const Occasion& one : culprit.occasions) {
      const Segment& segment = own_.segments[one.arrival];
      const uint32_t place =
          segment.launch - own_.segments[own_.order[begin_of_[segment.actor]]].launch;
      first = std::min(first, place);
      last = std::max(last, place);
    }
    return last - first < launches_in_step(culprit.actors.front());
  }
  bool does_work_of_its_own(const Candidate& candidate) const {
    for (uint32_t actor = 0; actor < own_.actors.size(); ++actor) {
      if (is_peer_of(candidate, actor)) return false;
    }
    return true;
  }
  uint32_t launches_in_step(uint32_t actor) const {
    std::map<uint32_t, std::set<uint32_t>> launches;  // by trial
    for (size_t i = begin_of_[actor]; i < begin_of_[actor + 1]; ++i) {
      const uint32_t launch = own_.segments[own_.order[i]].launch;
      launches[excesses_.trial[launch]].insert(launch);
    }
    std::vector<uint32_t> counts;
    for (const auto& [trial, all] : launches) counts.push_back(static_cast<uint32_t>(all.size()));
    return lower_median(&counts);
  }

  // Does the same work, and could have been accused instead.
  bool is_peer_of(const Candidate& candidate, uint32_t actor) const {
    return active_[actor] != 0 && cured_[actor] == 0 &&
           !std::binary_search(candidate.actors.begin(), candidate.actors.end(), actor) &&
           std::any_of(candidate.actors.begin(), candidate.actors.end(),
                       [&](uint32_t one) { return roles_.role[one] == roles_.role[actor]; });
  }
  Compared compared_with(const Candidate& candidate) const {
    Compared compared;
    for (uint32_t actor = 0; actor < own_.actors.size(); ++actor) {
      compared.set.push_back(is_in(candidate, actor) ? 1 : 0);
      compared.peers.push_back(is_peer_of(candidate, actor) ? 1 : 0);
    }
    compared.set_size = candidate.actors.size();
    compared.suspects = suspects();
    return compared;
  }

  // Block bootstrap over the critical path: does the verdict hang on a few moments?
  double share_of_resamples(const Candidate& candidate, double least_ns) const {
    std::vector<int64_t> gains_ns;
    int64_t all_ns = 0;
    uint32_t trial = 0;
    for (const PathPiece& piece : path_) {
      if (gains_ns.empty() || trial_of(piece) != trial) gains_ns.push_back(0);
      trial = trial_of(piece);
      if (!is_of(candidate, piece)) continue;
      gains_ns.back() += piece.excess_ns;
      all_ns += piece.excess_ns;
    }
    if (all_ns == 0) return 0;
    const auto of_path = static_cast<double>(candidate.gain_ns) / static_cast<double>(all_ns);
    least_ns = std::max(kLeastShare * static_cast<double>(what_if_.span_ns()), least_ns);
    return share_that_keeps(gains_ns, least_ns / of_path);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  const Excesses& excesses_;
  WhatIf what_if_;
  std::vector<size_t> begin_of_;         // by actor, and one more: where it begins in the order
  std::vector<uint8_t> cured_, active_;  // by actor: accused already; has operations
  std::vector<Candidate> sets_;
  // Of this round: what the cured gain, the critical path left, and each actor's excess on it.
  int64_t base_ns_ = 0, worst_ns_ = 0;
  std::vector<PathPiece> path_;
  std::vector<int64_t> on_path_ns_;
  std::map<uint32_t, int64_t> gains_;  // by actor
  Culprit suspected_;
};

}  // namespace

Culprits find_culprits(const RunTables& run, const OwnSegments& own, const Roles& roles,
                       const Excesses& excesses) {
  return Search(run, own, roles, excesses).find();
}

}  // namespace lockstep::analysis
