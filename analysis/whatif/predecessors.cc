#include "analysis/whatif/predecessors.h"

#include <algorithm>
#include <cmath>

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
  bool differs(uint32_t a) const {
    const Segment& segment = own_.segments[a];
    return segment.before_in_line != kNoRow && segment.before_in_line != segment.before;
  }
  int64_t own_in_line_ns(uint32_t a) const {
    const Segment& segment = own_.segments[a];
    return differs(a) ? segment.start_ns - own_.segments[segment.before_in_line].end_ns
                      : segment.own_ns;
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

  void choose_at(std::vector<Entry>::iterator begin, std::vector<Entry>::iterator end) {
    if (std::none_of(begin, end, [&](const Entry& one) { return differs(one.arrival); })) return;
    std::vector<int64_t> latest_ns, in_line_ns;
    for (auto one = begin; one != end; ++one) {
      latest_ns.push_back(own_.segments[one->arrival].own_ns);
      in_line_ns.push_back(own_in_line_ns(one->arrival));
    }
    if (kClearly * scatter_of(std::move(in_line_ns)) > scatter_of(std::move(latest_ns))) return;
    for (auto one = begin; one != end; ++one) {
      Segment& segment = own_.segments[one->arrival];
      if (!differs(one->arrival)) continue;
      segment.own_ns = own_in_line_ns(one->arrival);
      segment.before = segment.before_in_line;
    }
  }

  const Roles& roles_;
  OwnSegments& own_;
};

}  // namespace

void choose_predecessors(const Roles& roles, OwnSegments* own) { Chooser(roles, own).choose(); }

}  // namespace lockstep::analysis
