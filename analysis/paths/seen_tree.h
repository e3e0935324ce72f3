// One channel's tree of a collective: which edges feed which, and what each takes by its operations' ends.
// tree_excess.h says what that tells.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/middle.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// An edge and what its tree makes of it.
struct SeenTreeEdge {
  Text from = 0, to = 0;  // hosts
  bool up = false;
  std::vector<size_t> fed_by;      // edges of the same tree
  std::optional<size_t> feeds_up;  // of one that goes up: the next on the way to the root
  // Others that go up to the same host, which takes up what comes over all of them together, or that come down
  // from the same.
  std::vector<size_t> beside;
  Middle last;  // the last of the data takes so long
  Middle lag;   // ... of which it is taken up so long after the sender knew that all was sent
  Middle step;  // a network step over it
};

// What is sent last of those that go up together is so by this part of the operation.
constexpr double kLeastLater = 0.05;

class SeenTree {
 public:
  SeenTree(const RunTables& run, const OwnSegments& own, const TreeSeries& series)
      : series_(series) {
    for (const TreeEdge& edge : series.edges) {
      SeenTreeEdge& one = edges_.emplace_back();
      one.from = run.processes[own.actors[edge.from].process].host;
      one.to = run.processes[own.actors[edge.to].process].host;
    }
    // What goes up is there before it comes down again.
    for (size_t i = 0; i < edges_.size(); i += 2) {
      const Middle later =
          middle_of(differences(series.edges[i].received, series.edges[i + 1].received));
      is_known_ = is_known_ && later.known();
      edges_[i].up = later.ns < 0;
      edges_[i + 1].up = !edges_[i].up;
    }
    for (size_t i = 0; i < edges_.size(); ++i) find_feeders(i);
    find_times();
    measure(look_at_operations(times_, series.apart));
  }
  // What it shows in these operations alone: indices of the series' matches.
  SeenTree among(std::vector<uint32_t> operations) const {
    SeenTree some = *this;
    some.measure(look_at_operations(times_, series_.apart, std::move(operations)));
    return some;
  }

  bool is_known() const { return is_known_; }
  const TreeSeries& series() const { return series_; }
  const std::vector<SeenTreeEdge>& edges() const { return edges_; }

  // What its edges show is of operations that all ranks had started together.
  bool is_together() const { return seen_.together; }
  // From when all had started until the last was done.
  const Middle& time() const { return seen_.time; }
  // ... of every operation; kNoTime: not known.
  const std::vector<int64_t>& times() const { return times_; }
  // By operation: how long the last of the data takes over an edge. kNoTime: that shows nothing.
  std::vector<int64_t> last_parts(size_t i) const {
    std::vector<int64_t> parts;
    for (size_t m = 0; m < series_.matches.size(); ++m) {
      const int64_t fed_ns = fed_at(i, m), received_ns = series_.edges[i].received[m];
      const bool known = received_ns != kNoTime && fed_ns > 0 && is_waited_for(i, m);
      parts.push_back(known ? received_ns - fed_ns : kNoTime);
    }
    return parts;
  }
  // The edge that others waited for, of those that nothing feeds: from the root on down it is always among what is sent
  // last. None where others are sent as late.
  std::optional<size_t> begins_last() const {
    return follow([&](const std::vector<size_t>& level) {
      return std::find_if(level.begin(), level.end(),
                          [&](size_t i) { return is_clearly_last(i, level); });
    });
  }
  // The same of one operation, however little later it is sent.
  std::optional<size_t> begins_last(uint32_t m) const {
    const auto sent_ns = [&](size_t i) { return series_.edges[i].sent[m]; };
    return follow([&](const std::vector<size_t>& level) {
      const auto last = std::max_element(
          level.begin(), level.end(), [&](size_t a, size_t b) { return sent_ns(a) < sent_ns(b); });
      return last != level.end() && sent_ns(*last) == kNoTime ? level.end() : last;
    });
  }
  // The most edges that data passes, one behind the other.
  size_t longest_way() const {
    std::vector<size_t> way(edges_.size(), 1), before;
    while (way != before) {
      before = way;
      for (size_t i = 0; i < edges_.size(); ++i) {
        for (const size_t feeder : edges_[i].fed_by) way[i] = std::max(way[i], way[feeder] + 1);
      }
    }
    return way.empty() ? 0 : *std::max_element(way.begin(), way.end());
  }

 private:
  // From the root on to an edge that nothing feeds. last_of: of edges that go up together, the one to follow, or end().
  template <class LastOf>
  std::optional<size_t> follow(LastOf last_of) const {
    std::vector<size_t> level;
    for (size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].up && !edges_[i].feeds_up.has_value()) level.push_back(i);
    }
    while (true) {
      const auto last = last_of(level);
      if (last == level.end()) return std::nullopt;
      if (edges_[*last].fed_by.empty()) return *last;
      level = edges_[*last].fed_by;
    }
  }
  bool is_clearly_last(size_t i, const std::vector<size_t>& level) const {
    return std::all_of(level.begin(), level.end(), [&](size_t other) {
      if (other == i) return true;
      std::vector<int64_t> later(series_.matches.size(), kNoTime);
      for (const uint32_t m : seen_.telling) {
        const int64_t sent_ns = series_.edges[i].sent[m], other_ns = series_.edges[other].sent[m];
        if (sent_ns != kNoTime && other_ns != kNoTime) later[m] = sent_ns - other_ns;
      }
      const Middle middle = middle_of(later, seen_.telling);
      return middle.known() && stands_out(middle, 0, part_of(seen_.time.ns, kLeastLater));
    });
  }
  void find_times() {
    for (size_t m = 0; m < series_.matches.size(); ++m) {
      int64_t last_ns = 0;
      for (const TreeEdge& edge : series_.edges) {
        if (last_ns != kNoTime)
          last_ns = edge.received[m] == kNoTime ? kNoTime : std::max(last_ns, edge.received[m]);
      }
      times_.push_back(last_ns);
    }
  }
  // In those that all ranks had started together, if there are enough of them.
  void measure(SeenOperations seen) {
    seen_ = std::move(seen);
    for (size_t i = 0; i < edges_.size(); ++i) {
      edges_[i].last = middle_of(last_parts(i), seen_.telling);
      edges_[i].lag = middle_of(lags(series_.edges[i]), seen_.telling);
      edges_[i].step = middle_of(series_.edges[i].wire, seen_.telling);
    }
  }
  static std::vector<int64_t> lags(const TreeEdge& edge) {
    return differences(edge.received, edge.sent);
  }
  static std::vector<int64_t> differences(const std::vector<int64_t>& of,
                                          const std::vector<int64_t>& from) {
    std::vector<int64_t> all;
    for (size_t m = 0; m < of.size(); ++m)
      all.push_back(of[m] == kNoTime || from[m] == kNoTime ? kNoTime : of[m] - from[m]);
    return all;
  }

  // Up, those from below the sender's host. Down, the one from above it; at the root, all that come up.
  void find_feeders(size_t i) {
    SeenTreeEdge& edge = edges_[i];
    std::vector<size_t> from_below, from_above;
    for (size_t j = 0; j < edges_.size(); ++j) {
      const SeenTreeEdge& other = edges_[j];
      if (j != i && other.up == edge.up &&
          (edge.up ? other.to == edge.to : other.from == edge.from))
        edge.beside.push_back(j);
      if (other.to == edge.from) (other.up ? from_below : from_above).push_back(j);
    }
    edge.fed_by = edge.up || from_above.empty() ? from_below : from_above;
    for (const size_t below : from_below) {
      if (edge.up) edges_[below].feeds_up = i;
    }
  }

  // Before the last rank had started: data had waited then.
  int64_t fed_at(size_t i, size_t m) const {
    int64_t fed_ns = kNoTime;
    for (const size_t feeder : edges_[i].fed_by) {
      const int64_t one_ns = series_.edges[feeder].received[m];
      if (one_ns <= 0) return kNoTime;  // or it is not known
      fed_ns = std::max(fed_ns, one_ns);
    }
    return fed_ns;
  }
  // Whatever waits for room behind others is not what these wait for.
  bool is_waited_for(size_t i, size_t m) const {
    for (std::optional<size_t> at = i; at.has_value(); at = edges_[*at].feeds_up) {
      if (!is_sent_last(*at, m)) return false;
    }
    return true;
  }
  // Of those that go up together: what the others sent waits for it.
  bool is_sent_last(size_t i, size_t m) const {
    const int64_t sent_ns = series_.edges[i].sent[m];
    return !edges_[i].up ||
           std::all_of(edges_[i].beside.begin(), edges_[i].beside.end(), [&](size_t other) {
             const int64_t other_ns = series_.edges[other].sent[m];
             return sent_ns != kNoTime && other_ns != kNoTime && other_ns <= sent_ns;
           });
  }

  const TreeSeries& series_;
  std::vector<SeenTreeEdge> edges_;
  std::vector<int64_t> times_;  // by operation
  SeenOperations seen_;
  bool is_known_ = true;
};

}  // namespace lockstep::analysis
