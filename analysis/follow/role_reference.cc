#include "analysis/follow/role_reference.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/follow/training_steps.h"
#include "analysis/follow/trials.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Who is compared with itself alone may be late most of the time.
constexpr double kReferenceAlone = 0.2;
// Its own noise: what is longer than the reference by no more than so many times the distance from
// there down to a quarter of that share.
constexpr int64_t kNoiseAlone = 3;
// Warming up takes everybody at least so many times as long as a step usually does, and nobody more than
// so many times as long as the others.
constexpr double kTakesLonger = 2, kMostSlower = 5;
// A pause of all ranks takes such a part of what they do in a step.
constexpr double kLeastPause = 0.5;
// The first two steps: what begins before the first mark of one may reach into the second.
constexpr uint32_t kLastOfWarmUp = 2;
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // an odd multiplier that spreads small numbers

class Reference {
 public:
  Reference(const RunTables& run, const OwnSegments& own, const Roles& roles)
      : run_(run),
        own_(own),
        roles_(roles),
        reduce_(run.strings.find("Reduce")),
        broadcast_(run.strings.find("Broadcast")) {}

  Excesses measure() {
    out_.ns.assign(own_.segments.size(), 0);
    find_who_is_alone();
    find_spread_roles();
    usual_ns_.assign(own_.segments.size(), 0);
    out_.trial = number_trials(run_, own_, roles_);
    compare_with_its_kind();
    find_pauses();
    factors_ = find_factors(out_.trial);
    compare_with_everybody();
    bound_by_arrivals();
    const std::vector<uint32_t> step_of = number_training_steps(run_, own_, roles_, out_.trial);
    weigh_by_factors(step_of);
    measure_late_beginnings();
    // Where all calls are alike a trial is less than a step, and what befalls a rank within a step it does once.
    out_.trial = step_of;
    return std::move(out_);
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  void find_who_is_alone() {
    std::vector<uint8_t> active(own_.actors.size());
    for (const uint32_t a : own_.order) active[own_.segments[a].actor] = 1;
    std::unordered_map<uint64_t, size_t> ranks;
    for (size_t actor = 0; actor < active.size(); ++actor)
      ranks[roles_.role[actor]] += active[actor];
    for (const uint64_t role : roles_.role) out_.alone.push_back(ranks[role] < 2 ? 1 : 0);
  }

  // Roles whose ranks are on several hosts, or all that there are where the run has one host: what holds
  // up all of them at a moment is nobody's. Ranks of one host may have a fault in common, and so may those
  // of one communicator that has no others: the tensor ranks of a pipeline's stage.
  void find_spread_roles() {
    std::unordered_map<uint64_t, std::set<Text>> hosts_of;
    std::set<Text> hosts;
    for (size_t actor = 0; actor < roles_.role.size(); ++actor) {
      const Text host = run_.processes[own_.actors[actor].process].host;
      hosts.insert(host);
      hosts_of[roles_.role[actor]].insert(host);
    }
    const std::unordered_set<uint64_t> together = roles_of_one_group();
    for (const uint64_t role : roles_.role)
      out_.spread.push_back((hosts.size() == 1 || hosts_of[role].size() > 1) &&
                            together.count(role) == 0);
  }
  // Those whose ranks are the members of one communicator that has no more than half of all ranks.
  std::unordered_set<uint64_t> roles_of_one_group() const {
    std::unordered_map<uint64_t, size_t> ranks;
    for (const uint64_t role : roles_.role) ++ranks[role];
    std::unordered_set<uint64_t> found;
    for (const CommunicatorRow& comm : run_.communicators) {
      std::unordered_map<uint64_t, size_t> members;
      size_t all = 0;
      for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m) {
        const uint32_t actor = own_.actor_of(run_, run_.members[m]);
        if (actor == kNoRow) continue;
        ++members[roles_.role[actor]];
        ++all;
      }
      if (members.size() != 1 || all < 2 || all * 2 > roles_.role.size()) continue;
      if (all == ranks[members.begin()->first]) found.insert(members.begin()->first);
    }
    return found;
  }

  void compare_with_its_kind() {
    std::vector<uint32_t> rows;
    for (const uint32_t a : own_.order) {
      if (is_compared(a)) rows.push_back(a);
    }
    compared_.assign(own_.segments.size(), 0);
    compare(rows, rows);
  }
  // Returns those that have too few others.
  std::vector<uint32_t> compare(const std::vector<uint32_t>& rows, std::vector<uint32_t> left) {
    for (const unsigned context : kContexts) {
      if (!left.empty()) left = compare_within(context, rows, left);
    }
    return left;
  }

  struct Entry {
    uint64_t position = 0;
    uint32_t visit = 0;  // n-th time that the rank is there: the same step on all ranks
    uint32_t arrival = 0;
    int64_t own_ns = 0;
  };
  int64_t reference_of(const Entry* begin, const Entry* end) const {
    const bool alone = out_.alone[own_.segments[begin->arrival].actor] != 0;
    const double share = alone ? kReferenceAlone : kRoleReference;
    return begin[static_cast<size_t>(static_cast<double>(end - begin) * share)].own_ns;
  }
  // All rows at a position are its measure, whoever of them is left. Returns those whose position has too
  // few others.
  std::vector<uint32_t> compare_within(unsigned context, const std::vector<uint32_t>& rows,
                                       const std::vector<uint32_t>& left) {
    std::vector<uint64_t> positions = positions_of(own_, roles_, context);
    if (by_place_) number_places(rows, &positions);
    std::unordered_set<uint64_t> wanted;
    for (const uint32_t a : left) wanted.insert(positions[a]);
    std::vector<Entry> entries = entries_at(positions, wanted, rows);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.position != b.position ? a.position < b.position : a.own_ns < b.own_ns;
    });
    std::vector<uint32_t> few;
    const Entry* const all_end = entries.data() + entries.size();
    for (Entry *begin = entries.data(), *end = begin; begin != all_end; begin = end) {
      while (end != all_end && end->position == begin->position) ++end;
      if (static_cast<size_t>(end - begin) >= kFewestAtPosition) {
        compare_position(begin, end);
      } else {
        for (const Entry* one = begin; one != end; ++one) {
          if (compared_[one->arrival] == 0) few.push_back(one->arrival);
        }
      }
    }
    return few;
  }
  // Makes a position of each place in a training step: the first there in it, the second, ...
  void number_places(const std::vector<uint32_t>& rows, std::vector<uint64_t>* positions) const {
    std::unordered_map<uint64_t, uint32_t> passed;
    std::pair<uint32_t, uint32_t> last{kNoRow, kNoRow};  // actor, trial
    for (const uint32_t a : rows) {
      const std::pair<uint32_t, uint32_t> step{own_.segments[a].actor, trial_of(a)};
      if (step != last) passed.clear();
      last = step;
      uint64_t& position = (*positions)[a];
      position += (uint64_t{passed[position]++} + 1) * kGolden;
    }
  }
  std::vector<Entry> entries_at(const std::vector<uint64_t>& positions,
                                const std::unordered_set<uint64_t>& wanted,
                                const std::vector<uint32_t>& rows) const {
    std::vector<Entry> entries;
    std::unordered_map<uint64_t, uint32_t> visits;
    uint32_t actor = kNoRow;
    for (const uint32_t a : rows) {
      if (own_.segments[a].actor != actor) visits.clear();
      actor = own_.segments[a].actor;
      if (wanted.count(positions[a]) == 0) continue;
      const auto own_ns = static_cast<double>(without_pause_ns(a)) / factor_of(a);
      entries.push_back({positions[a], visits[positions[a]]++, a, static_cast<int64_t>(own_ns)});
    }
    return entries;
  }
  // A moment that held all ranks up, as a checkpoint of the whole job, is no fault of any of them: the
  // reference is the larger of that over all steps and that of the same step.
  void compare_position(Entry* begin, Entry* end) {
    const int64_t usual_ns = reference_of(begin, end);
    const int64_t noise_ns = noise_of(begin, end);
    std::sort(begin, end, [](const Entry& a, const Entry& b) {
      return a.visit != b.visit ? a.visit < b.visit : a.own_ns < b.own_ns;
    });
    for (Entry *first = begin, *last = first; first != end; first = last) {
      while (last != end && last->visit == first->visit) ++last;
      const bool compares =
          last - first > 1 && out_.spread[own_.segments[first->arrival].actor] != 0;
      const int64_t here_ns = compares ? reference_of(first, last) : usual_ns;
      for (Entry* one = first; one != last; ++one) one->own_ns -= std::max(usual_ns, here_ns);
    }
    take_off_unseen_waits(begin, end);
    for (const Entry* one = begin; one != end; ++one) {
      if (compared_[one->arrival] != 0) continue;  // where more of what came before is alike
      const int64_t excess_ns = one->own_ns;
      out_.ns[one->arrival] =
          excess_ns > noise_ns
              ? static_cast<int64_t>(static_cast<double>(excess_ns) * factor_of(one->arrival))
              : 0;
      usual_ns_[one->arrival] = usual_ns;
      compared_[one->arrival] = 1;
    }
  }

  // The end of what came before is not recorded, though that of the operation itself is: how long the
  // rank was held up there lies in the segment. A broadcast reaches the ranks of its ring one after the
  // other, and so does what each has beyond the others time after time.
  bool hides_a_wait(uint32_t a) const {
    const uint32_t before = own_.segments[a].before;
    return operation(a).finish_ns != kNoTime && before != kNoRow &&
           operation(before).finish_ns == kNoTime;
  }
  // Of the rows at a position, what each rank has beyond the others in most of its visits.
  void take_off_unseen_waits(Entry* begin, Entry* end) const {
    std::unordered_map<uint32_t, std::vector<int64_t>> beyond_ns;  // by actor
    for (const Entry* one = begin; one != end; ++one) {
      if (hides_a_wait(one->arrival))
        beyond_ns[own_.segments[one->arrival].actor].push_back(one->own_ns);
    }
    for (auto& [actor, values] : beyond_ns) values = {quantile(&values, kRoleReference)};
    for (Entry* one = begin; one != end && !beyond_ns.empty(); ++one) {
      if (hides_a_wait(one->arrival))
        one->own_ns -= std::max<int64_t>(0, beyond_ns[own_.segments[one->arrival].actor].front());
    }
  }
  // Where others do the same work, theirs shows what is noise.
  int64_t noise_of(const Entry* begin, const Entry* end) const {
    if (out_.alone[own_.segments[begin->arrival].actor] == 0) return 0;
    const auto at = [&](double share) {
      return begin[static_cast<size_t>(static_cast<double>(end - begin) * share)].own_ns;
    };
    return kNoiseAlone * (at(kReferenceAlone) - at(kReferenceAlone / 4));
  }

  // What makes a step longer for nearly everybody, as a warm-up or clocks that slow down, is no fault of
  // those who have nobody else of their role to show it, or nobody on another host.
  void compare_with_everybody() {
    std::vector<uint32_t> rows;
    for (const uint32_t a : own_.order) {
      if (is_compared(a) && lacks_others_elsewhere(own_.segments[a].actor)) rows.push_back(a);
    }
    if (rows.empty()) return;
    compared_.assign(own_.segments.size(), 0);
    // A stage does more in some places of a training step than in others, however alike what it calls
    // there is: its own kind is the same place of other steps.
    by_place_ = true;
    std::vector<uint32_t> left = compare(rows, rows);
    by_place_ = false;
    compare(rows, std::move(left));
  }
  // A checkpoint of the whole job makes one segment of each rank longer. So in each trial it is taken from that of each rank
  // which is longest beyond what is usual, by what most ranks have there at least. Ranks that have others of their role
  // on several hosts are compared with these in the same step, and need none of it.
  void find_pauses() {
    bool any = false;
    for (uint32_t actor = 0; actor < own_.actors.size(); ++actor)
      any = any || lacks_others_elsewhere(actor);
    if (!any) return;
    struct Longest {
      int64_t excess_ns = 0;
      uint32_t arrival = kNoRow;
      int64_t usual_ns = 0;  // of all in the trial
    };
    std::map<uint32_t, std::vector<Longest>> trials;
    for (size_t begin = 0, end = 0; begin < own_.order.size(); begin = end) {
      const uint32_t actor = own_.segments[own_.order[begin]].actor;
      std::map<uint32_t, Longest> of_actor;
      for (; end < own_.order.size() && own_.segments[own_.order[end]].actor == actor; ++end) {
        const uint32_t a = own_.order[end];
        if (!is_compared(a)) continue;
        Longest& longest = of_actor[trial_of(a)];
        longest.usual_ns += usual_ns_[a];
        const int64_t excess_ns = own_.segments[a].own_ns - usual_ns_[a];
        if (excess_ns > longest.excess_ns) longest.excess_ns = excess_ns, longest.arrival = a;
      }
      for (const auto& [trial, longest] : of_actor) trials[trial].push_back(longest);
    }
    for (auto& [trial, ranks] : trials) {
      std::vector<int64_t> excesses_ns, usual_ns;
      for (const Longest& one : ranks) {
        excesses_ns.push_back(one.excess_ns);
        usual_ns.push_back(one.usual_ns);
      }
      const int64_t pause_ns = quantile(&excesses_ns, kRoleReference);
      if (trial <= kLastOfWarmUp || ranks.size() < 2 ||
          static_cast<double>(pause_ns) < kLeastPause * static_cast<double>(median(&usual_ns)))
        continue;
      for (const Longest& one : ranks) {
        if (one.excess_ns >= pause_ns) pauses_ns_[one.arrival] = pause_ns;
      }
    }
  }
  int64_t without_pause_ns(uint32_t a) const {
    const auto pause = pauses_ns_.find(a);
    return own_.segments[a].own_ns - (pause == pauses_ns_.end() ? 0 : pause->second);
  }

  // By trial: how much longer than usual the own segments of the ranks took in it, 1 at least. A low
  // quantile, as everywhere.
  std::vector<double> find_factors(const std::vector<uint32_t>& trial_of_launch) const {
    struct Sum {
      double own_ns = 0, usual_ns = 0;
    };
    uint32_t trials = 0;
    for (const uint32_t trial : trial_of_launch) trials = std::max(trials, trial + 1);
    std::vector<std::vector<double>> ratios(trials);
    std::vector<Sum> sums(trials);
    for (size_t i = 0; i < own_.order.size(); ++i) {
      const uint32_t a = own_.order[i];
      const uint32_t actor = own_.segments[a].actor;
      if (is_compared(a)) {
        Sum& sum = sums[trial_of_launch[own_.segments[a].launch]];
        sum.own_ns += static_cast<double>(without_pause_ns(a));
        sum.usual_ns += static_cast<double>(usual_ns_[a]);
      }
      if (i + 1 < own_.order.size() && own_.segments[own_.order[i + 1]].actor == actor) continue;
      for (uint32_t trial = 0; trial < trials; ++trial) {
        if (sums[trial].usual_ns > 0)
          ratios[trial].push_back(sums[trial].own_ns / sums[trial].usual_ns);
        sums[trial] = Sum();
      }
    }
    std::vector<double> factors;
    for (std::vector<double>& all : ratios) {
      std::sort(all.begin(), all.end());
      const auto at = static_cast<size_t>(static_cast<double>(all.size()) * kRoleReference);
      factors.push_back(all.size() < 2 ? 1 : std::max(1.0, all[at]));
    }
    return factors;
  }

  // What takes everybody so many times as long varies so many times as much, too: who warms up somewhat
  // more slowly than the others is not slow, and what it takes then must not outweigh all later steps.
  void weigh_by_factors(const std::vector<uint32_t>& step_of) {
    const std::vector<double> factors = find_factors(step_of);
    for (const uint32_t a : own_.order) {
      const uint32_t step = step_of[own_.segments[a].launch];
      const double everybodys_ns = factors[step] * static_cast<double>(usual_ns_[a]);
      const bool warms_up =
          step <= kLastOfWarmUp && factors[step] >= kTakesLonger &&
          static_cast<double>(own_.segments[a].own_ns) <= kMostSlower * everybodys_ns;
      if (warms_up)
        out_.ns[a] = static_cast<int64_t>(static_cast<double>(out_.ns[a]) / factors[step]);
    }
  }

  // A reduction to one rank lets the others go as soon as they have sent: who leaves early has as much to
  // do as those whose work hides in its wait for a late one. Behind such an operation nobody is late by
  // more than it comes after the others.
  void bound_by_arrivals() {
    for (const MatchRow& match : run_.matches) {
      constexpr uint32_t kFewestToBound = 3;
      if (match.comparable == 0 || match.arrivals < kFewestToBound) continue;
      std::vector<int64_t> starts_ns;
      const uint32_t end = match.first_arrival + match.arrivals;
      for (uint32_t a = match.first_arrival; a < end; ++a) {
        if (follows_rooted(a)) starts_ns.push_back(own_.segments[a].start_ns);
      }
      if (starts_ns.size() < kFewestToBound) continue;
      const int64_t others_ns = quantile(&starts_ns, kRoleReference);
      for (uint32_t a = match.first_arrival; a < end; ++a) {
        if (follows_rooted(a))
          out_.ns[a] = std::clamp<int64_t>(own_.segments[a].start_ns - others_ns, 0, out_.ns[a]);
      }
    }
  }
  bool follows_rooted(uint32_t a) const {
    const uint32_t before = own_.segments[a].before;
    if (own_.segments[a].actor == kNoRow || before == kNoRow) return false;
    const Text func = operation(before).func;
    return func == reduce_ || func == broadcast_;
  }

  // How much later than its like a rank came to its first operation of all. Nothing of it came before, so it
  // has no own segment, and it sets up connections; but a job waits for it there as it does later. Before it
  // a rank also starts, imports and loads, which takes anybody now longer and now shorter. So it counts for
  // what the rank is late by in the training step after it, at most, and only for what its lateness costs:
  // it is nobody's evidence.
  void measure_late_beginnings() {
    std::unordered_map<uint64_t, std::vector<Beginning>> by_role;
    for (size_t begin = 0, end = 0; begin < own_.order.size(); begin = end) {
      const uint32_t actor = own_.segments[own_.order[begin]].actor;
      while (end < own_.order.size() && own_.segments[own_.order[end]].actor == actor) ++end;
      const MatchRow& match = run_.matches[run_.arrivals[own_.order[begin]].match];
      if (match.comparable != 0 && match.arrivals > 1)
        by_role[roles_.role[actor]].push_back({begin, end});
    }
    for (const auto& [role, ranks] : by_role) {
      std::vector<int64_t> starts_ns;
      for (const Beginning& rank : ranks) starts_ns.push_back(start_of(rank));
      const int64_t others_ns = quantile(&starts_ns, kRoleReference);
      for (const Beginning& rank : ranks) {
        const int64_t late_ns = std::min(start_of(rank) - others_ns, late_in_next_step(rank));
        for (size_t i = rank.begin; late_ns > 0 && i < rank.end; ++i) {
          if (own_.segments[own_.order[i]].before == kNoRow) out_.ns[own_.order[i]] = late_ns;
        }
      }
    }
  }
  struct Beginning {
    size_t begin = 0, end = 0;  // of its rank, in the order
  };
  int64_t start_of(const Beginning& rank) const {
    return own_.segments[own_.order[rank.begin]].start_ns;
  }
  int64_t late_in_next_step(const Beginning& rank) const {
    const uint32_t first = trial_of(own_.order[rank.begin]);
    int64_t late_ns = 0;
    for (size_t i = rank.begin; i < rank.end && trial_of(own_.order[i]) <= first + 1; ++i)
      late_ns += trial_of(own_.order[i]) != first ? out_.ns[own_.order[i]] : 0;
    return late_ns;
  }

  bool lacks_others_elsewhere(uint32_t actor) const {
    return out_.alone[actor] != 0 || out_.spread[actor] == 0;
  }
  uint32_t trial_of(uint32_t a) const { return out_.trial[own_.segments[a].launch]; }
  double factor_of(uint32_t a) const { return factors_.empty() ? 1 : factors_[trial_of(a)]; }
  bool is_compared(uint32_t a) const {
    return own_.segments[a].counts && own_.segments[a].own_ns != kNoTime;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  const Text reduce_, broadcast_;  // rooted
  std::vector<int64_t> usual_ns_;  // by row of `arrivals`: the reference
  std::vector<double> factors_;    // by trial, once they are known
  bool by_place_ = false;          // in the comparison at hand: with the same place of other steps
  std::unordered_map<uint32_t, int64_t> pauses_ns_;  // of all ranks, by row of `arrivals`
  std::vector<uint8_t> compared_;  // by row of `arrivals`: a flag, in the comparison at hand
  Excesses out_;
};

}  // namespace

Excesses measure_excesses(const RunTables& run, const OwnSegments& own, const Roles& roles) {
  return Reference(run, own, roles).measure();
}

}  // namespace lockstep::analysis
