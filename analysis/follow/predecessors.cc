#include "analysis/follow/predecessors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace lockstep::analysis {
namespace {

// So many times less.
constexpr double kClearly = 2;

struct Entry {
  uint64_t position = 0;
  uint32_t arrival = kNoRow;
};

// How far from the middle they typically are, summed.
double scatter_of(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const int64_t middle_ns = *middle;
  double sum = 0;
  for (const int64_t one : values) sum += std::abs(static_cast<double>(one - middle_ns));
  return sum;
}

enum class Follows { Latest, InLine, Beside };

class Chooser {
 public:
  Chooser(const Roles& roles, OwnSegments* own) : roles_(roles), own_(*own) {}

  void choose() {
    std::vector<uint32_t> left;
    for (const uint32_t a : own_.order) {
      if (own_.segments[a].own_ns != kNoTime) left.push_back(a);
    }
    for (const unsigned context : kContexts) {
      if (std::any_of(left.begin(), left.end(), [&](uint32_t a) { return differs(a); }))
        left = choose_within(context, left);
    }
  }

 private:
  // Row of `arrivals` that a row follows, if it follows such.
  uint32_t before_of(uint32_t a, Follows what) const {
    const Segment& segment = own_.segments[a];
    const uint32_t other = what == Follows::InLine   ? segment.before_in_line
                           : what == Follows::Beside ? segment.before_beside
                                                     : kNoRow;
    return other == kNoRow ? segment.before : other;
  }
  int64_t own_ns(uint32_t a, Follows what) const {
    const Segment& segment = own_.segments[a];
    const uint32_t before = before_of(a, what);
    return before == segment.before ? segment.own_ns
                                    : segment.start_ns - own_.segments[before].end_ns;
  }
  bool differs(uint32_t a) const {
    return before_of(a, Follows::InLine) != own_.segments[a].before ||
           before_of(a, Follows::Beside) != own_.segments[a].before;
  }

  // Returns those whose position has too few others.
  std::vector<uint32_t> choose_within(unsigned context, const std::vector<uint32_t>& rows) {
    const std::vector<uint64_t> positions = positions_of(own_, roles_, context);
    std::vector<Entry> entries;
    entries.reserve(rows.size());
    for (const uint32_t a : rows) entries.push_back({positions[a], a});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.position < b.position; });
    std::vector<uint32_t> left;
    for (auto begin = entries.begin(), end = begin; begin != entries.end(); begin = end) {
      while (end != entries.end() && end->position == begin->position) ++end;
      if (static_cast<size_t>(end - begin) >= kFewestAtPosition) {
        choose_at(begin, end);
      } else {
        for (auto one = begin; one != end; ++one) left.push_back(one->arrival);
      }
    }
    return left;
  }

  using Entries = std::vector<Entry>::const_iterator;
  // Before what sets up connections there is time that nobody takes later: it counts where there is nothing else.
  double scatter_at(Entries begin, Entries end, Follows what, bool of_each) const {
    const auto counts = [&](const Entry& one) { return own_.segments[one.arrival].counts; };
    const bool any_counts = std::any_of(begin, end, counts);
    std::map<uint32_t, std::vector<int64_t>> values;  // by actor; all in one
    for (auto one = begin; one != end; ++one) {
      if (any_counts && !counts(*one)) continue;
      const uint32_t actor = of_each ? own_.segments[one->arrival].actor : 0;
      values[actor].push_back(own_ns(one->arrival, what));
    }
    double sum = 0;
    for (auto& [actor, of_actor] : values) sum += scatter_of(std::move(of_actor));
    return sum;
  }
  // Where the latest is the one in line for all ranks or for none, most times, they are alike either way but for who is
  // late, which shows in both. Else some hosts run ahead, and the last beside the stream is what all may follow.
  bool are_alike(Entries begin, Entries end) const {
    std::map<uint32_t, std::pair<size_t, size_t>> by_actor;  // in line, all
    for (auto one = begin; one != end; ++one) {
      const Segment& segment = own_.segments[one->arrival];
      auto& [in_line, all] = by_actor[segment.actor];
      in_line += segment.before == segment.before_in_line ? 1 : 0;
      ++all;
    }
    const auto in_line = std::count_if(by_actor.begin(), by_actor.end(), [](const auto& one) {
      return one.second.first * 2 > one.second.second;
    });
    return in_line == 0 || in_line == static_cast<ptrdiff_t>(by_actor.size());
  }
  void choose_at(Entries begin, Entries end) {
    if (std::none_of(begin, end, [&](const Entry& one) { return differs(one.arrival); })) return;
    const bool alike = are_alike(begin, end);
    double least = scatter_at(begin, end, Follows::Latest, alike) / kClearly;
    Follows chosen = Follows::Latest;
    for (const Follows what : {Follows::InLine, Follows::Beside}) {
      if (what == Follows::Beside && alike) break;
      const double scatter = scatter_at(begin, end, what, alike);
      if (scatter >= least) continue;
      least = scatter;
      chosen = what;
    }
    if (chosen == Follows::Latest) return;
    for (auto one = begin; one != end; ++one) follow(one->arrival, chosen);
  }
  void follow(uint32_t a, Follows what) {
    Segment& segment = own_.segments[a];
    if (what == Follows::Beside && own_.was_queued(a)) what = Follows::InLine;
    segment.own_ns = own_ns(a, what);
    segment.before = before_of(a, what);
  }

  const Roles& roles_;
  OwnSegments& own_;
};

}  // namespace

void choose_predecessors(const Roles& roles, OwnSegments* own) { Chooser(roles, own).choose(); }

}  // namespace lockstep::analysis
