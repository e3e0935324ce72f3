#include "analysis/whatif/culprits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/chance/resample.h"
#include "analysis/whatif/hands_out.h"
#include "analysis/whatif/own_work.h"
#include "analysis/whatif/pause.h"
#include "analysis/whatif/rank_sets.h"
#include "analysis/whatif/shared_occasions.h"
#include "analysis/whatif/when_late.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// A finding costs at least so much of the run's time,
constexpr double kLeastShare = 0.02;
// so many times what a rank typically costs, or fewer where chance is next to nothing: long stalls of others do not excuse
// who is late all the time,
constexpr double kTimesTypical = 4, kTimesTypicalAtLeast = 2.5, kNoChance = 1e-6;
// and noise would give anybody its occasions less often than this; where they cost such a part of the
// run and nobody else has any as bad, who it was matters more than why, and the more they cost the more so.
// What costs little is more often noise than a fault, so chance must be less for it, but for who warms up
// slowly, which takes a few steps at most.
constexpr double kMostChance = 0.07, kMostChanceOfMuch = 0.3, kMuch = 0.1;
constexpr double kMostChanceOfLittle = 0.01, kLittle = 0.05;
// One moment that costs so much is a finding by itself, where nobody has another nearly as bad. Whoever loses its
// processor for a time slice or two stands still for less.
constexpr double kLeastPause = 0.05;
constexpr int64_t kShortestPauseNs = 20'000'000;
// Of the best gain, what a smaller set must have to be accused instead.
constexpr double kMostOfBest = 0.8;
// Of what a set gains, what its ranks gain one by one: who is late on his own gains all of it.
constexpr double kMostAlone = 0.52;
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
    possible_.assign(own_.actors.size(), 0);
    for (const uint32_t a : own_.order) possible_[own_.segments[a].actor] = 1;
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
      for (const uint32_t actor : culprit.actors) cured_[actor] = 1, possible_[actor] = 0;
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
    return static_cast<size_t>(std::count(possible_.begin(), possible_.end(), uint8_t{1}));
  }

  void find_sets() {
    for (RankSet& set : sets_of_ranks(run_, own_, possible_)) {
      Candidate& one = sets_.emplace_back();
      one.actors = std::move(set.actors);
      one.host = set.host;
    }
  }

  // What others have in common with who hands out the work is that they wait for it.
  void forget_sets_with(uint32_t actor) {
    sets_.erase(std::remove_if(sets_.begin(), sets_.end(),
                               [&](const Candidate& set) { return is_in(set.actors, actor); }),
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
      if (possible_[i] == 0) continue;
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
  // Of hosts what they lose together is compared: not what one of its ranks gains alone, as who stalls now and then does.
  int64_t typical_gain_of_sets(const Candidate& candidate) {
    std::vector<int64_t> others;
    for (const Candidate& set : sets_) {
      if (set.host != candidate.host || set.actors.size() != candidate.actors.size()) continue;
      const bool apart = std::none_of(set.actors.begin(), set.actors.end(), [&](uint32_t actor) {
        return cured_[actor] != 0 ||
               std::binary_search(candidate.actors.begin(), candidate.actors.end(), actor);
      });
      if (apart && others.size() < kMostReplayed)
        others.push_back(
            std::max<int64_t>(0, replay(set.actors) - (set.host ? most_of_one(set) : 0)));
    }
    return lower_median(&others);
  }

  int64_t most_of_one(const Candidate& set) const {
    int64_t most_ns = 0;
    for (const uint32_t actor : set.actors) {
      const auto gain = gains_.find(actor);
      if (gain != gains_.end()) most_ns = std::max(most_ns, gain->second);
    }
    return most_ns;
  }

  bool accuse(const Candidate& candidate, Culprit* culprit) {
    const auto typical_ns = static_cast<double>(typical_gain(candidate));
    const auto stands_out = [&](double times) {
      return static_cast<double>(candidate.gain_ns) >= times * typical_ns;
    };
    // Of two ranks that are both late neither does, and either may deserve suspicion.
    const bool of_two = gains_.size() <= 2;
    if (suspects() <= candidate.actors.size() || !(of_two || stands_out(kTimesTypicalAtLeast)))
      return false;
    *culprit = Culprit();  // nothing of a candidate that was looked at before
    culprit->actors = candidate.actors;
    culprit->host = candidate.host;
    culprit->gain_ns = candidate.gain_ns;
    culprit->first_ns = what_if_.first_ns();
    culprit->span_ns = what_if_.span_ns();
    culprit->alone = std::all_of(candidate.actors.begin(), candidate.actors.end(),
                                 [&](uint32_t actor) { return excesses_.alone[actor] != 0; });
    const Inquiry left{run_, own_, roles_, excesses_, possible_, path_, begin_of_, end_ns()};
    Occasions occasions = occasions_of(left, candidate.actors);
    culprit->occasions = std::move(occasions.all);
    culprit->chance = occasions.chance;
    if (is_as_late_as_accused(culprit->occasions)) return false;
    const double times = culprit->chance > kNoChance ? kTimesTypical : kTimesTypicalAtLeast;
    const double least_ns = times * typical_ns;
    if (candidate.actors.size() > 1 &&
        !share_occasions(run_, own_, excesses_, candidate.actors, culprit->occasions))
      return false;
    const bool may_be_work =
        by_kernels(run_, culprit->occasions) && !has_peers(left, candidate.actors) &&
        may_be_its_work(
            run_, own_, roles_, excesses_,
            {candidate.actors.front(), culprit->occasions, culprit->first_ns, end_ns()});
    const double share =
        static_cast<double>(culprit->gain_ns) / static_cast<double>(culprit->span_ns);
    const bool much =
        occasions.beside_none && by_kernels(run_, culprit->occasions) && share >= kMuch;
    const bool little = share < kLittle && !is_at_start(*culprit);
    const double most_chance = much     ? kMostChanceOfMuch * share / kMuch
                               : little ? kMostChanceOfLittle
                                        : kMostChance;
    culprit->rounds = rounds_of(candidate.actors.front(), culprit->occasions);
    if (may_be_work || !stands_out(times) || culprit->chance > most_chance ||
        !holds_without_worst(*culprit, least_ns)) {
      if (is_pause_or_bout(candidate, may_be_work, culprit)) return true;
      if (!may_be_work && share >= kWorthASuspicion && !culprit->occasions.empty() &&
          suspected_.gain_ns == 0)
        suspected_ = *culprit;
      return false;
    }
    culprit->stable = share_of_resamples(candidate, least_ns);
    culprit->hands_out =
        candidate.actors.size() == 1 && may_have_had_no_work(run_, culprit->occasions);
    if (candidate.actors.size() == 1 && by_kernels(run_, culprit->occasions) && !culprit->hands_out)
      accuse_host_of(left, culprit);
    std::stable_sort(culprit->actors.begin(), culprit->actors.end(),
                     [&](uint32_t a, uint32_t b) { return on_path_ns_[a] > on_path_ns_[b]; });
    return true;
  }

  // Whether at most of these moments all that took part beside it are accused already, and were as late: they have that in
  // common, as ranks that share their input have the length of it.
  bool is_as_late_as_accused(const std::vector<Occasion>& occasions) const {
    int64_t all_ns = 0, common_ns = 0;
    for (const Occasion& one : occasions) {
      all_ns += one.excess_ns;
      if (is_common(one)) common_ns += one.excess_ns;
    }
    return common_ns * 2 > all_ns;
  }
  bool is_common(const Occasion& one) const {
    const MatchRow& match = run_.matches[run_.arrivals[one.arrival].match];
    bool beside = false;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const uint32_t actor = own_.segments[a].actor;
      if (a == one.arrival || actor == kNoRow) continue;
      if (cured_[actor] == 0 || excesses_.ns[a] * 2 < one.excess_ns) return false;
      beside = true;
    }
    return beside;
  }

  // Moments that are too few to tell more of: but one alone may be enough, or one bout.
  bool is_pause_or_bout(const Candidate& candidate, bool may_be_work, Culprit* culprit) const {
    if (!(candidate.host || candidate.actors.size() == 1) || culprit->occasions.empty())
      return false;
    if (is_pause(candidate, culprit)) return true;
    culprit->bout =
        !may_be_work &&
        static_cast<double>(culprit->gain_ns) >= kMuch * static_cast<double>(culprit->span_ns) &&
        is_bout(own_, path_, candidate.actors, culprit->occasions, culprit->span_ns);
    return culprit->bout;
  }
  bool is_pause(const Candidate& candidate, Culprit* culprit) const {
    const Occasion worst = *std::max_element(
        culprit->occasions.begin(), culprit->occasions.end(),
        [](const Occasion& a, const Occasion& b) { return a.excess_ns < b.excess_ns; });
    const int64_t least_ns =
        std::max(kShortestPauseNs,
                 static_cast<int64_t>(kLeastPause * static_cast<double>(culprit->span_ns)));
    if (worst.excess_ns < least_ns) return false;
    const int64_t gain_ns =
        gain_without_pause(run_, own_, excesses_.ns, path_, candidate.actors, worst.arrival);
    if (gain_ns < least_ns) return false;
    culprit->once = true;
    culprit->gain_ns = gain_ns;
    culprit->occasions = {worst};
    return true;
  }

  // Of ranks that are late together the latest is accused. Where all of its host are, and that costs clearly more
  // than it alone, it is the host.
  void accuse_host_of(const Inquiry& left, Culprit* culprit) {
    for (const Candidate& set : sets_) {
      if (!set.host || !is_in(set.actors, culprit->actors.front()) ||
          !are_all_late(own_, excesses_.ns, possible_, set.actors, culprit->occasions))
        continue;
      const int64_t gain_ns = replay(set.actors);
      if (static_cast<double>(culprit->gain_ns) >= kMostOfBest * static_cast<double>(gain_ns))
        continue;
      culprit->host = true;
      culprit->actors = set.actors;
      culprit->gain_ns = gain_ns;
      culprit->occasions = occasions_of(left, set.actors).all;
      return;
    }
  }

  int64_t end_ns() const { return what_if_.first_ns() + what_if_.span_ns(); }

  bool is_at_start(const Culprit& culprit) const {
    const int64_t from_start_ns =
        culprit.occasions.empty()
            ? 0
            : own_.segments[culprit.occasions.back().arrival].start_ns - culprit.first_ns;
    return from_start_ns < culprit.span_ns / 3;  // as pattern_of() has it
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

  // By what it calls: steps that are told by how long they take may be told by the lateness itself. Who is late before one
  // call only is late once a round where it is before each such call.
  uint64_t rounds_of(uint32_t actor, const std::vector<Occasion>& occasions) const {
    std::vector<uint64_t> calls;
    uint32_t last = kNoRow;
    for (size_t i = begin_of_[actor]; i < begin_of_[actor + 1]; ++i) {
      const uint32_t a = own_.order[i], launch = own_.segments[a].launch;
      if (launch != last) calls.push_back(roles_.call[a]);
      last = launch;
    }
    const uint64_t rounds = calls.size() / round_of(calls);
    if (occasions.empty()) return rounds;
    const uint64_t call = roles_.call[occasions.front().arrival];
    const bool one_call = std::all_of(occasions.begin(), occasions.end(), [&](const Occasion& one) {
      return roles_.call[one.arrival] == call;
    });
    const auto of_call = static_cast<uint64_t>(std::count(calls.begin(), calls.end(), call));
    return one_call && of_call > 0 ? std::min(rounds, of_call) : rounds;
  }

  bool is_of(const Candidate& candidate, const PathPiece& piece) const {
    return is_in(candidate.actors, own_.segments[piece.arrival].actor);
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
  std::vector<size_t> begin_of_;           // by actor, and one more: where it begins in the order
  std::vector<uint8_t> cured_, possible_;  // by actor: accused already; has operations, and is not
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
