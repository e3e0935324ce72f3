#include "analysis/follow/overlapped_work.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_set>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// The operation beside it is so many operations back at most: gathered weights, a second communicator.
constexpr size_t kMostBack = 8;
// Times from the start of the operation beside it vary so many times less than own segments, once in a
// training step; beside other operations of that kind, of another layer, they vary less. Of ranks that do one
// after the other they vary more: by what is done before either of two operations, and by who is last.
constexpr double kTimesLess = 1.3;
// ... and by so much more, over the square root of how many times there are, as chance explains: the best
// of kMostBack is chosen, and how much times vary is itself known inexactly.
constexpr double kChance = 3;
// Where such work is known to be overlapped, times in one place of the step vary by so many times more at most.
constexpr double kTimesMore = 1.5;
// Or, of ranks that are at one place of one step, those times are so many times less apart: where steps take another
// time each, as sequences of another length do, both vary by that.
constexpr double kTimesLessApart = 3;
// Of each rank: fewer have no middle to vary about.
constexpr size_t kFewestOfRank = 4;

struct Placed {
  uint64_t position = 0;
  size_t place = 0;    // in the order
  uint32_t visit = 0;  // n-th time that the rank is there: the same step on all ranks
};

struct Position {
  const Placed *begin = nullptr, *end = nullptr;
  size_t ranks = 0;
  size_t back = 0;   // where times vary least: from the start of the operation so many before
  double ratio = 1;  // of how much they vary, to own segments
  size_t times() const { return static_cast<size_t>(end - begin); }
  bool has_enough() const { return times() >= std::max(kFewestAtPosition, kFewestOfRank * ranks); }
  bool varies_surely_less() const {
    return ratio * kTimesLess * std::exp(kChance / std::sqrt(static_cast<double>(times()))) < 1;
  }
};

// One time that shows how long the work is.
struct Work {
  uint32_t actor = 0, visit = 0;
  int64_t own_ns = 0, interval_ns = 0;
};

// How far the times of one rank typically are from its middle.
double scatter_of(const Work* begin, const Work* end, int64_t Work::*time) {
  std::vector<int64_t> times_ns;
  for (const Work* one = begin; one != end; ++one) times_ns.push_back(one->*time);
  const int64_t middle_ns = median_of(times_ns);
  for (int64_t& ns : times_ns) ns = std::abs(ns - middle_ns);
  return static_cast<double>(median(&times_ns));
}

// How many times as much as own segments intervals vary, of a typical rank; 1: too little is known. Each
// rank's about its own middle: that it is always late, or rarely, shows in both.
double ratio_of(const std::vector<Work>& work) {
  constexpr auto kExact = static_cast<double>(kSameInstantNs);
  double sum = 0, ranks = 0;
  const Work* const all_end = work.data() + work.size();
  for (const Work *begin = work.data(), *end = begin; begin != all_end; begin = end) {
    while (end != all_end && end->actor == begin->actor) ++end;
    if (static_cast<size_t>(end - begin) < kFewestOfRank) continue;
    const double own = scatter_of(begin, end, &Work::own_ns);
    sum += std::log((scatter_of(begin, end, &Work::interval_ns) + kExact) / (own + kExact));
    ++ranks;
  }
  return ranks < 2 ? 1 : std::exp(sum / ranks);
}

// How far apart the ranks of a visit are, each rank's time from its own middle; and how far from that the times of one rank
// are on average.
struct Distances {
  double apart_ns = 0, of_ranks = 0;  // sums over visits, and of logarithms over ranks
};
Distances distances_of(const std::vector<Work>& work, int64_t Work::*time) {
  constexpr auto kExact = static_cast<double>(kSameInstantNs);
  struct Ends {
    int64_t least_ns = 0, most_ns = 0;
    size_t ranks = 0;
  };
  std::vector<Ends> visits;
  Distances distances;
  for (size_t begin = 0, end = 0; begin != work.size(); begin = end) {
    std::vector<int64_t> times_ns;
    for (; end != work.size() && work[end].actor == work[begin].actor; ++end)
      times_ns.push_back(work[end].*time);
    if (times_ns.size() < kFewestOfRank) continue;
    const int64_t middle_ns = median(&times_ns);
    double sum_ns = 0;
    for (size_t i = begin; i != end; ++i) {
      const int64_t away_ns = work[i].*time - middle_ns;
      visits.resize(std::max<size_t>(visits.size(), work[i].visit + 1));
      Ends& ends = visits[work[i].visit];
      ends.least_ns = ends.ranks == 0 ? away_ns : std::min(ends.least_ns, away_ns);
      ends.most_ns = ends.ranks == 0 ? away_ns : std::max(ends.most_ns, away_ns);
      ++ends.ranks;
      sum_ns += std::abs(static_cast<double>(away_ns));
    }
    distances.of_ranks += std::log(sum_ns / static_cast<double>(end - begin) + kExact);
  }
  for (const Ends& ends : visits) {
    if (ends.ranks < 2) continue;
    distances.apart_ns += kExact + static_cast<double>(ends.most_ns - ends.least_ns);
  }
  return distances;
}

// How many times as far apart as own segments the intervals of ranks at one place of one step are; 1: too little is known, or
// the intervals of a rank vary more than its own segments do. So they do where somebody holds the others up, who then
// all take as long from start to start.
double apart_ratio_of(const std::vector<Work>& work) {
  const Distances own = distances_of(work, &Work::own_ns),
                  intervals = distances_of(work, &Work::interval_ns);
  if (own.apart_ns == 0 || intervals.of_ranks >= own.of_ranks) return 1;
  return intervals.apart_ns / own.apart_ns;
}

class Intervals {
 public:
  Intervals(const RunTables& run, const OwnSegments& own, const Roles& roles, Excesses* excesses)
      : run_(run), own_(own), roles_(roles), excesses_(*excesses) {}

  void bound() {
    number_places();
    std::vector<size_t> rows;  // places in the order
    for (size_t i = 0; i < own_.order.size(); ++i) {
      if (segment(i).counts && segment(i).own_ns != kNoTime && begins_by_kernel(i))
        rows.push_back(i);
    }
    for (const unsigned context : kContexts) find_overlaps(context, rows);
    if (overlaps_.empty()) return;
    std::vector<size_t> left = rows;
    looked_at_.assign(own_.order.size(), 0);
    for (const unsigned context : kContexts) {
      if (!left.empty()) left = bound_within(context, rows, left);
    }
  }

 private:
  const Segment& segment(size_t place) const { return own_.segments[own_.order[place]]; }
  // A host calls ahead of its GPU: its calls do not show how long work takes.
  bool begins_by_kernel(size_t place) const {
    return run_.arrivals[own_.order[place]].basis == ArrivalBasis::KernelStart;
  }
  bool was_queued(size_t place) const { return own_.was_queued(own_.order[place]); }
  // The operation so many calls before that of the same rank, of another launch; nullptr: there is none.
  const Segment* beside(size_t place, size_t back) const {
    if (place < back) return nullptr;
    const Segment& one = segment(place - back);
    const Segment& self = segment(place);
    return one.actor == self.actor && one.launch != self.launch &&
                   is_within_a_step(place - back, place) && begins_by_kernel(place - back)
               ? &one
               : nullptr;
  }

  // Of a whole step the time is the same, whoever is late in it each time.
  bool is_within_a_step(size_t from, size_t to) const {
    const uint32_t first = step_of(from), last = step_of(to);
    return first == last || (first + 1 == last && in_step_[from] > in_step_[to]);
  }
  uint32_t step_of(size_t place) const { return excesses_.trial[segment(place).launch]; }
  void number_places() {
    in_step_.assign(own_.order.size(), 0);
    for (size_t i = 1; i < in_step_.size(); ++i) {
      if (segment(i).actor == segment(i - 1).actor && step_of(i) == step_of(i - 1))
        in_step_[i] = in_step_[i - 1] + 1;
    }
  }

  std::vector<Placed> entries_at(unsigned context, const std::vector<size_t>& rows,
                                 const std::vector<size_t>& left) const {
    const std::vector<uint64_t> positions = positions_of(own_, roles_, context);
    std::unordered_set<uint64_t> wanted;
    for (const size_t place : left) wanted.insert(positions[own_.order[place]]);
    std::vector<Placed> entries;
    for (const size_t place : rows) {
      const uint64_t position = positions[own_.order[place]];
      if (wanted.count(position) != 0) entries.push_back({position, place, 0});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Placed& a, const Placed& b) { return a.position < b.position; });
    return entries;
  }
  // Who is late by as much each time shows it less exactly in one place of the step than over several: what
  // is left to do after the wait is another time for each layer, and the work is not.
  void find_overlaps(unsigned context, const std::vector<size_t>& rows) {
    std::vector<Placed> entries = entries_at(context, rows, rows);
    for (Position& one : positions_in(&entries)) {
      if (!one.has_enough()) continue;
      size_t least_apart = 0;
      double least = 1 / kTimesLessApart;
      for (size_t back = 1; back <= kMostBack; ++back) {
        const std::vector<Work> work = work_at(one, back);
        look_back(back, work, &one);
        const double ratio = apart_ratio_of(work);
        if (ratio < least) least = ratio, least_apart = back;
      }
      if (one.varies_surely_less()) overlaps_.insert(beside_what(one, one.back));
      if (least_apart != 0) overlaps_.insert(beside_what(one, least_apart));
    }
  }

  // All rows at a position show what is usual there, whoever of them is left. Returns those whose position
  // has too few others.
  std::vector<size_t> bound_within(unsigned context, const std::vector<size_t>& rows,
                                   const std::vector<size_t>& left) {
    std::vector<Placed> entries = entries_at(context, rows, left);
    std::vector<size_t> few;
    for (Position& one : positions_in(&entries)) {
      one.ratio = kTimesMore;
      for (size_t back = 1; one.has_enough() && back <= kMostBack; ++back) {
        if (overlaps_.count(beside_what(one, back)) != 0) look_back(back, work_at(one, back), &one);
      }
      if (one.back != 0) bound_position(one);
      for (const Placed* row = one.begin; row != one.end; ++row) {
        uint8_t& looked_at = looked_at_[row->place];
        if (one.has_enough()) looked_at = 1;
        if (looked_at == 0) few.push_back(row->place);
      }
    }
    return few;
  }
  // Role, what is called, and what was called when the work began; 0 back: nothing was, within the step.
  using Kind = std::tuple<uint64_t, uint64_t, uint64_t, size_t>;
  Kind beside_what(const Position& position, size_t back) const {
    const Placed* one = position.begin;
    while (one != position.end && beside(one->place, back) == nullptr) ++one;
    if (one == position.end) return {};
    return {roles_.role[segment(one->place).actor], roles_.call[own_.order[one->place]],
            roles_.call[own_.order[one->place - back]], back};
  }
  std::vector<Position> positions_in(std::vector<Placed>* entries) const {
    std::vector<Position> positions;
    Placed* const all_end = entries->data() + entries->size();
    for (Placed *begin = entries->data(), *end = begin; begin != all_end; begin = end) {
      Position& position = positions.emplace_back();
      position.begin = begin;
      for (; end != all_end && end->position == begin->position; ++end) {
        const bool is_again =
            end != begin && segment(end->place).actor == segment((end - 1)->place).actor;
        end->visit = is_again ? (end - 1)->visit + 1 : 0;
        position.ranks += is_again ? 0 : 1;
      }
      position.end = end;
    }
    return positions;
  }

  void bound_position(const Position& position) {
    const std::vector<Work> work = work_at(position, position.back);
    // Who was queued needed no longer, at least: where all others are, they are the measure of a late one.
    std::vector<int64_t> all_ns, at_least_ns;
    std::set<uint32_t> shown;  // actors
    for (const Placed* one = position.begin; one != position.end; ++one) {
      const Segment* start = beside(one->place, position.back);
      if (start == nullptr) continue;
      const bool began_before = was_queued(one->place - position.back);
      (began_before ? at_least_ns : all_ns)
          .push_back(segment(one->place).start_ns - start->start_ns);
      if (!began_before) shown.insert(start->actor);
    }
    // The others may all be faster than these: the ranks of a host that waits for one whose ranks are late.
    if (static_cast<double>(position.ranks - shown.size()) >
        kRoleReference * static_cast<double>(position.ranks))
      all_ns.insert(all_ns.end(), at_least_ns.begin(), at_least_ns.end());
    const int64_t usual_ns = quantile(&all_ns, kRoleReference);
    const std::vector<int64_t> at_a_time_ns = usual_at_a_time(position, work);
    for (const Placed* one = position.begin; one != position.end; ++one) {
      const bool known = looked_at_[one->place] != 0;  // where more of what came before is alike
      const Segment* start = known ? nullptr : beside(one->place, position.back);
      if (start == nullptr) continue;
      const int64_t least_ns = std::max(usual_ns, at_a_time_ns[one->visit]);
      int64_t& excess_ns = excesses_.ns[own_.order[one->place]];
      excess_ns = std::clamp<int64_t>(segment(one->place).start_ns - start->start_ns - least_ns, 0,
                                      excess_ns);
    }
  }

  // From where on times vary least, for all that is shown by those whose work may be known.
  static void look_back(size_t back, const std::vector<Work>& work, Position* position) {
    const double ratio = ratio_of(work);
    if (ratio >= position->ratio) return;
    position->ratio = ratio;
    position->back = back;
  }
  // Who was queued behind what came before did not need so long, and an operation beside it that was queued
  // itself says nothing of when the work began.
  std::vector<Work> work_at(const Position& position, size_t back) const {
    std::vector<Work> work;
    for (const Placed* one = position.begin; one != position.end; ++one) {
      const Segment& segment = this->segment(one->place);
      const Segment* start = beside(one->place, back);
      if (start == nullptr || was_queued(one->place) || was_queued(one->place - back)) continue;
      work.push_back(
          {segment.actor, one->visit, segment.own_ns, segment.start_ns - start->start_ns});
    }
    return work;
  }
  // By visit: what takes all ranks longer at a time, as a warm-up, is no fault of any of them. Ranks that do
  // not show how long it took them may have needed nothing.
  std::vector<int64_t> usual_at_a_time(const Position& position,
                                       const std::vector<Work>& work) const {
    std::vector<size_t> ranks;
    for (const Placed* one = position.begin; one != position.end; ++one) {
      ranks.resize(std::max<size_t>(ranks.size(), one->visit + 1));
      ++ranks[one->visit];
    }
    std::vector<int64_t> usual_ns(ranks.size());
    if (excesses_.spread[segment(position.begin->place).actor] == 0) return usual_ns;
    std::vector<std::vector<int64_t>> intervals_ns(ranks.size());
    for (const Work& one : work) intervals_ns[one.visit].push_back(one.interval_ns);
    for (size_t visit = 0; visit < ranks.size(); ++visit) {
      if (ranks[visit] < 2) continue;
      intervals_ns[visit].resize(ranks[visit]);
      usual_ns[visit] = quantile(&intervals_ns[visit], kRoleReference);
    }
    return usual_ns;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Roles& roles_;
  Excesses& excesses_;
  std::set<Kind> overlaps_;
  std::vector<uint32_t> in_step_;   // by place in the order: which operation of its step
  std::vector<uint8_t> looked_at_;  // by place in the order: a flag
};

}  // namespace

void bound_by_intervals(const RunTables& run, const OwnSegments& own, const Roles& roles,
                        Excesses* excesses) {
  Intervals(run, own, roles, excesses).bound();
}

}  // namespace lockstep::analysis
