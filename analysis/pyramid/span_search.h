// Which of many spans touch a time, without a look at the others. They may overlap and lie in each other, so a search for
// their beginnings is not enough: a tree over groups of them has the last end in each. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::analysis {

struct TimeSpan {
  int64_t from_ns = 0, to_ns = 0;  // up to, without
};
using TimeSpans = std::vector<TimeSpan>;

class SpanSearch {
 public:
  SpanSearch() = default;
  // By their beginnings.
  explicit SpanSearch(TimeSpans spans);

  const TimeSpans& spans() const { return spans_; }
  // Calls visit(span) for each that touches this time, in order. How many spans and groups it looked at: those that
  // touch it, and for each of them no more than the depth of the tree and its group.
  template <class Visit>
  size_t each(int64_t from_ns, int64_t to_ns, const Visit& visit) const {
    return last_ends_.empty() ? 0 : look(1, from_ns, to_ns, visit);
  }

 private:
  static constexpr size_t kGroup = 16;

  template <class Visit>
  size_t look(size_t node, int64_t from_ns, int64_t to_ns, const Visit& visit) const {
    const size_t groups = last_ends_.size() / 2;
    if (last_ends_[node] <= from_ns) return 1;
    if (node < groups) {
      const size_t looked = 1 + look(2 * node, from_ns, to_ns, visit);
      return begins_before(2 * node + 1, to_ns) ? looked + look(2 * node + 1, from_ns, to_ns, visit)
                                                : looked;
    }
    const size_t first = (node - groups) * kGroup;
    const size_t end = std::min(first + kGroup, spans_.size());
    for (size_t i = first; i < end && spans_[i].from_ns < to_ns; ++i) {
      if (spans_[i].to_ns > from_ns) visit(spans_[i]);
    }
    return 1 + kGroup;
  }
  // The first of what is below a node.
  bool begins_before(size_t node, int64_t to_ns) const {
    const size_t groups = last_ends_.size() / 2;
    while (node < groups) node *= 2;
    const size_t first = (node - groups) * kGroup;
    return first < spans_.size() && spans_[first].from_ns < to_ns;
  }

  TimeSpans spans_;
  // Of the whole at 1, of the halves of node n at 2 n and 2 n + 1, of the groups in the second half.
  std::vector<int64_t> last_ends_;
};

}  // namespace lockstep::analysis
