#include "clocksync/solve/difference_bounds.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <utility>

namespace lockstep::clocksync {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
// Sums along a path round; less than this is not a violation.
constexpr double kRoundingNs = 1e-3;

}  // namespace

DifferenceBounds::DifferenceBounds(uint32_t hosts, std::vector<DifferenceBound> bounds)
    : hosts_(hosts), bounds_(std::move(bounds)) {
  const auto index = [this](Adjacency* adjacency, auto key) {
    adjacency->begin.assign(hosts_ + 1, 0);
    for (const auto& b : bounds_) ++adjacency->begin[key(b) + 1];
    for (uint32_t h = 0; h < hosts_; ++h) adjacency->begin[h + 1] += adjacency->begin[h];
    adjacency->bound.resize(bounds_.size());
    std::vector<uint32_t> at(adjacency->begin.begin(), adjacency->begin.end() - 1);
    for (uint32_t i = 0; i < bounds_.size(); ++i) adjacency->bound[at[key(bounds_[i])]++] = i;
  };
  index(&out_, [](const DifferenceBound& b) { return b.from; });
  index(&in_, [](const DifferenceBound& b) { return b.to; });
}

namespace {

// Follows the bounds that last moved each host; returns the cycle among them, if any.
std::vector<uint32_t> find_cycle(const std::vector<DifferenceBound>& bounds,
                                 const std::vector<uint32_t>& mover) {
  std::vector<uint32_t> seen(mover.size(), kNone);
  for (uint32_t start = 0; start < mover.size(); ++start) {
    uint32_t h = start;
    while (seen[h] == kNone && mover[h] != kNone) {
      seen[h] = start;
      h = bounds[mover[h]].from;
    }
    if (mover[h] == kNone || seen[h] != start) continue;
    std::vector<uint32_t> cycle;
    for (uint32_t at = h; cycle.empty() || at != h; at = bounds[mover[at]].from) {
      cycle.push_back(mover[at]);
    }
    return cycle;
  }
  return {};
}

}  // namespace

std::vector<uint32_t> DifferenceBounds::project(std::vector<double>* x) const {
  std::vector<uint32_t> mover(hosts_, kNone);
  std::vector<char> queued(hosts_, 1);
  std::deque<uint32_t> queue;
  for (uint32_t h = 0; h < hosts_; ++h) queue.push_back(h);
  uint64_t moves = 0;
  while (!queue.empty()) {
    const uint32_t h = queue.front();
    queue.pop_front();
    queued[h] = 0;
    for (uint32_t i = out_.begin[h]; i < out_.begin[h + 1]; ++i) {
      const DifferenceBound& b = bounds_[out_.bound[i]];
      const double allowed = (*x)[h] + b.upper_ns;
      if ((*x)[b.to] <= allowed + kRoundingNs) continue;
      (*x)[b.to] = allowed;
      mover[b.to] = out_.bound[i];
      if (!queued[b.to]) {
        queued[b.to] = 1;
        queue.push_back(b.to);
      }
      // Moves without a cycle are finite, but may be many: look for the cycle once per round.
      if (++moves % hosts_ == 0) {
        std::vector<uint32_t> cycle = find_cycle(bounds_, mover);
        if (!cycle.empty()) return cycle;
      }
    }
  }
  return {};
}

std::vector<double> DifferenceBounds::shortest(uint32_t source, const std::vector<double>& x,
                                               const Adjacency& next, double sign) const {
  using Entry = std::pair<double, uint32_t>;
  std::vector<double> distance(hosts_, std::numeric_limits<double>::infinity());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  distance[source] = 0;
  queue.emplace(0.0, source);
  while (!queue.empty()) {
    const auto [near, h] = queue.top();
    queue.pop();
    if (near > distance[h]) continue;
    for (uint32_t i = next.begin[h]; i < next.begin[h + 1]; ++i) {
      const DifferenceBound& b = bounds_[next.bound[i]];
      const uint32_t other = sign > 0 ? b.to : b.from;
      // What the bound leaves beyond the projected estimate: never negative but for rounding.
      const double room = std::max(0.0, b.upper_ns - (x[b.to] - x[b.from]));
      if (near + room < distance[other]) {
        distance[other] = near + room;
        queue.emplace(distance[other], other);
      }
    }
  }
  for (uint32_t h = 0; h < hosts_; ++h) distance[h] += sign * (x[h] - x[source]);
  return distance;
}

std::vector<double> DifferenceBounds::from(uint32_t source, const std::vector<double>& x) const {
  return shortest(source, x, out_, 1);
}

std::vector<double> DifferenceBounds::to(uint32_t target, const std::vector<double>& x) const {
  return shortest(target, x, in_, -1);
}

}  // namespace lockstep::clocksync
