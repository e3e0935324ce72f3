#include "analysis/follow/overlapped_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_set>

#include "base/parallel.h"
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
// Each thread holds all the work at one position: more of them take more memory than a login node may have.
constexpr unsigned kThreads = 2;

// A segment, by place in the order: they are read in that order, many times, and segments lie by arrival.
struct Start {
  int64_t start_ns = 0, own_ns = 0;
  uint32_t actor = 0, launch = 0;
  uint32_t step = 0, in_step = 0;  // the training step, and which operation of it
  bool by_kernel = false;  // a host calls ahead of its GPU: calls do not show how long work takes
  bool was_queued = false;
};

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

// What a start can be late by from the start of the operation so many before it; 0: nothing limits it.
struct Limit {
  int64_t ns = 0;
  size_t back = 0;
};

// One time that shows how long the work is.
struct Work {
  uint32_t actor = 0, visit = 0;
  int64_t own_ns = 0, interval_ns = 0;
};

// How far the times of one rank typically are from its middle.
double scatter_of(const Work* begin, const Work* end, int64_t Work::*time,
                  std::vector<int64_t>* scratch) {
  scratch->clear();
  for (const Work* one = begin; one != end; ++one) scratch->push_back(one->*time);
  const int64_t middle_ns = median(scratch);
  for (int64_t& ns : *scratch) ns = std::abs(ns - middle_ns);
  return static_cast<double>(median(scratch));
}

// How many times as much as own segments intervals vary, of a typical rank; 1: too little is known. Each
// rank's about its own middle: that it is always late, or rarely, shows in both.
double ratio_of(const std::vector<Work>& work) {
  constexpr auto kExact = static_cast<double>(kSameInstantNs);
  double sum = 0, ranks = 0;
  std::vector<int64_t> scratch;
  const Work* const all_end = work.data() + work.size();
  for (const Work *begin = work.data(), *end = begin; begin != all_end; begin = end) {
    while (end != all_end && end->actor == begin->actor) ++end;
    if (static_cast<size_t>(end - begin) < kFewestOfRank) continue;
    const double own = scatter_of(begin, end, &Work::own_ns, &scratch);
    sum +=
        std::log((scatter_of(begin, end, &Work::interval_ns, &scratch) + kExact) / (own + kExact));
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
  std::vector<int64_t> times_ns;
  Distances distances;
  for (size_t begin = 0, end = 0; begin != work.size(); begin = end) {
    times_ns.clear();
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

struct Ratios {
  double varies = 1, apart = 1;
};
Ratios ratios_of(const std::vector<Work>& work) { return {ratio_of(work), apart_ratio_of(work)}; }

class Intervals {
 public:
  Intervals(const RunTables& run, const OwnSegments& own, const Roles& roles, Excesses* excesses)
      : run_(run), own_(own), roles_(roles), excesses_(*excesses) {}

  void bound() {
    list_starts();
    std::vector<size_t> rows;  // places in the order
    for (size_t i = 0; i < starts_.size(); ++i) {
      const bool counts = own_.segments[own_.order[i]].counts;
      if (counts && starts_[i].own_ns != kNoTime && starts_[i].by_kernel) rows.push_back(i);
    }
    for (const unsigned context : kContexts) find_overlaps(context, rows);
    if (overlaps_.empty()) return;
    std::vector<size_t> left = rows;
    looked_at_.assign(own_.order.size(), 0);
    limits_.resize(own_.order.size());
    for (const unsigned context : kContexts) {
      if (!left.empty()) left = bound_within(context, rows, left);
    }
    apply_limits();
  }

 private:
  // Role, what is called, and what was called when the work began; 0 back: nothing was, within the step.
  using Kind = std::tuple<uint64_t, uint64_t, uint64_t, size_t>;

  // The operation so many calls before that of the same rank, of another launch; nullptr: there is none.
  const Start* beside(size_t place, size_t back) const {
    if (place < back) return nullptr;
    const Start &one = starts_[place - back], &self = starts_[place];
    return one.actor == self.actor && one.launch != self.launch && is_within_a_step(one, self) &&
                   one.by_kernel
               ? &one
               : nullptr;
  }

  // Of a whole step the time is the same, whoever is late in it each time.
  static bool is_within_a_step(const Start& from, const Start& to) {
    return from.step == to.step || (from.step + 1 == to.step && from.in_step > to.in_step);
  }
  void list_starts() {
    starts_.reserve(own_.order.size());
    for (const uint32_t row : own_.order) {
      const Segment& segment = own_.segments[row];
      Start one;
      one.start_ns = segment.start_ns, one.own_ns = segment.own_ns;
      one.actor = segment.actor, one.launch = segment.launch;
      one.step = excesses_.trial[segment.launch];
      if (!starts_.empty() && starts_.back().actor == one.actor && starts_.back().step == one.step)
        one.in_step = starts_.back().in_step + 1;
      one.by_kernel = run_.arrivals[row].basis == ArrivalBasis::KernelStart;
      one.was_queued = own_.was_queued(row);
      starts_.push_back(one);
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
    std::vector<Position> positions = positions_in(&entries);
    std::vector<std::array<Ratios, kMostBack>> ratios(positions.size());
    in_parallel(positions.size() * kMostBack, kThreads, [&](size_t i) {
      const Position& one = positions[i / kMostBack];
      const size_t back = i % kMostBack + 1;
      if (one.has_enough()) ratios[i / kMostBack][back - 1] = ratios_of(work_at(one, back));
    });
    for (size_t i = 0; i < positions.size(); ++i) {
      size_t least_apart = 0;
      double least = 1 / kTimesLessApart;
      for (size_t back = 1; back <= kMostBack; ++back) {
        const Ratios& at = ratios[i][back - 1];
        look_back(back, at.varies, &positions[i]);
        if (at.apart < least) least = at.apart, least_apart = back;
      }
      if (positions[i].varies_surely_less())
        overlaps_.insert(beside_what(positions[i], positions[i].back));
      if (least_apart != 0) overlaps_.insert(beside_what(positions[i], least_apart));
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
        if (overlaps_.count(beside_what(one, back)) != 0)
          look_back(back, ratio_of(work_at(one, back)), &one);
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
  Kind beside_what(const Position& position, size_t back) const {
    const Placed* one = position.begin;
    while (one != position.end && beside(one->place, back) == nullptr) ++one;
    if (one == position.end) return {};
    return {roles_.role[starts_[one->place].actor], roles_.call[own_.order[one->place]],
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
            end != begin && starts_[end->place].actor == starts_[(end - 1)->place].actor;
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
      const Start* start = beside(one->place, position.back);
      if (start == nullptr) continue;
      (start->was_queued ? at_least_ns : all_ns)
          .push_back(starts_[one->place].start_ns - start->start_ns);
      if (!start->was_queued) shown.insert(start->actor);
    }
    // The others may all be faster than these: the ranks of a host that waits for one whose ranks are late.
    if (static_cast<double>(position.ranks - shown.size()) >
        kRoleReference * static_cast<double>(position.ranks))
      all_ns.insert(all_ns.end(), at_least_ns.begin(), at_least_ns.end());
    const int64_t usual_ns = quantile(&all_ns, kRoleReference);
    const std::vector<int64_t> at_a_time_ns = usual_at_a_time(position, work);
    for (const Placed* one = position.begin; one != position.end; ++one) {
      const bool known = looked_at_[one->place] != 0;  // where more of what came before is alike
      const Start* start = known ? nullptr : beside(one->place, position.back);
      if (start == nullptr) continue;
      const int64_t least_ns = std::max(usual_ns, at_a_time_ns[one->visit]);
      limits_[one->place] = {starts_[one->place].start_ns - start->start_ns - least_ns,
                             position.back};
    }
  }
  // In the order of time: what began beside an operation that came late in the same own segment is as late as that.
  void apply_limits() {
    for (size_t place = 0; place < limits_.size(); ++place) {
      const Limit& limit = limits_[place];
      if (limit.back == 0) continue;
      const Start &self = starts_[place], &start = starts_[place - limit.back];
      const bool shares_segment = start.start_ns > self.start_ns - self.own_ns;
      const int64_t shared_ns = shares_segment ? excesses_.ns[own_.order[place - limit.back]] : 0;
      int64_t& excess_ns = excesses_.ns[own_.order[place]];
      excess_ns = std::clamp<int64_t>(limit.ns + shared_ns, 0, excess_ns);
    }
  }

  // From where on times vary least, for all that is shown by those whose work may be known.
  static void look_back(size_t back, double ratio, Position* position) {
    if (ratio >= position->ratio) return;
    position->ratio = ratio;
    position->back = back;
  }
  // Who was queued behind what came before did not need so long, and an operation beside it that was queued
  // itself says nothing of when the work began.
  std::vector<Work> work_at(const Position& position, size_t back) const {
    std::vector<Work> work;
    for (const Placed* one = position.begin; one != position.end; ++one) {
      const Start& self = starts_[one->place];
      const Start* start = beside(one->place, back);
      if (start == nullptr || self.was_queued || start->was_queued) continue;
      work.push_back({self.actor, one->visit, self.own_ns, self.start_ns - start->start_ns});
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
    if (excesses_.spread[starts_[position.begin->place].actor] == 0) return usual_ns;
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
  std::vector<Start> starts_;
  std::vector<uint8_t> looked_at_;  // by place in the order: a flag
  std::vector<Limit> limits_;       // likewise
};

}  // namespace

void bound_by_intervals(const RunTables& run, const OwnSegments& own, const Roles& roles,
                        Excesses* excesses) {
  Intervals(run, own, roles, excesses).bound();
}

}  // namespace lockstep::analysis
