// Trees over hosts of one rank each whose data moves step by step by their own rules: up from the leaves, each rank
// adding its own, and down again from the root, a buffer of a few steps before each edge.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/transfers/transfer_samples.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {

// By host: above it; -1: the root.
using Parents = std::vector<int>;

struct PlayedTree {
  explicit PlayedTree(Parents above) : parents(std::move(above)), start_us(parents.size()) {}

  Parents parents;
  std::vector<int64_t> start_us;                   // by host
  std::map<std::pair<int, int>, int64_t> slow_us;  // by edge: a step takes that
  std::map<std::pair<int, int>, int64_t> wire_us;  // network steps over it; empty: none is recorded
  std::map<int, int64_t> takes_us;                 // by host: to take up what comes of a step
  int steps = 8;
  static constexpr int kRoom = 3;
  static constexpr int64_t kStepUs = 100;

  // By edge: when each step has arrived, and when its receiver is done with it.
  using ByEdge = std::map<std::pair<int, int>, std::vector<int64_t>>;
  struct Ends {
    ByEdge sent, received;
  };

  Ends play() const {
    Ends played;
    ByEdge &sent = played.sent, &received = played.received;
    std::vector<int64_t> up_us = start_us, down_us = start_us;
    const std::vector<int> order = from_the_root();
    // A step is handed over when there is room, and arrives behind the one before it.
    const auto send = [&](int from, int to, int step, int64_t us) {
      std::vector<int64_t>& ends = sent[{from, to}];
      const std::vector<int64_t>& taken = received[{from, to}];
      if (step >= kRoom) us = std::max(us, taken[static_cast<size_t>(step - kRoom)]);
      const int64_t behind_us = ends.empty() ? 0 : ends.back();
      ends.push_back(std::max(us, behind_us) + step_us(from, to));
      return us;
    };
    for (int step = 0; step < steps; ++step) {
      for (auto host = order.rbegin(); host != order.rend(); ++host) {
        int64_t& us = up_us[static_cast<size_t>(*host)];
        for (const int child : below(*host)) us = std::max(us, sent[{child, *host}].back());
        if (!below(*host).empty()) us += take_us(*host);
        for (const int child : below(*host)) received[{child, *host}].push_back(us);
        if (above(*host) >= 0) us = send(*host, above(*host), step, us);
      }
      for (const int host : order) {
        int64_t& us = down_us[static_cast<size_t>(host)];
        us = std::max(us, above(host) < 0 ? up_us[static_cast<size_t>(host)]
                                          : sent[{above(host), host}].back());
        if (above(host) >= 0) received[{above(host), host}].push_back(us += take_us(host));
        for (const int child : below(host)) us = send(host, child, step, us);
      }
    }
    return played;
  }
  int64_t took_us() const {
    int64_t last_us = 0;
    for (const auto& [edge, ends] : play().received) last_us = std::max(last_us, ends.back());
    return last_us - *std::max_element(start_us.begin(), start_us.end());
  }

  int above(int host) const { return parents[static_cast<size_t>(host)]; }
  std::vector<int> below(int host) const {
    std::vector<int> all;
    for (int other = 0; other < static_cast<int>(parents.size()); ++other)
      if (above(other) == host) all.push_back(other);
    return all;
  }

 private:
  int64_t take_us(int host) const {
    const auto at = takes_us.find(host);
    return at == takes_us.end() ? 0 : at->second;
  }
  int64_t step_us(int from, int to) const {
    const auto at = slow_us.find({from, to});
    return at == slow_us.end() ? kStepUs : at->second;
  }
  std::vector<int> from_the_root() const {
    std::vector<int> order{
        static_cast<int>(std::find(parents.begin(), parents.end(), -1) - parents.begin())};
    for (size_t i = 0; i < order.size(); ++i)
      for (const int child : below(order[i])) order.push_back(child);
    return order;
  }
};

// What is recorded of `operations` of such a tree, whose times scatter by a few microseconds.
inline TreeSeries series_of(const PlayedTree& tree, uint8_t channel, int operations) {
  TreeSeries series;
  const auto hosts = static_cast<int>(tree.parents.size());
  series.channel = channel;
  series.alike = {1, 1 << 20, hosts, tree.parents.size()};
  series.steps = static_cast<uint64_t>(tree.steps);
  const PlayedTree::Ends played = tree.play();
  const int64_t last_us = *std::max_element(tree.start_us.begin(), tree.start_us.end());
  for (int host = 0; host < hosts; ++host) {
    if (tree.above(host) < 0) continue;
    const int ends[2] = {std::min(host, tree.above(host)), std::max(host, tree.above(host))};
    for (const auto& [from, to] : {std::pair(ends[0], ends[1]), std::pair(ends[1], ends[0])}) {
      TreeEdge edge;
      edge.from = static_cast<uint32_t>(from);
      edge.to = static_cast<uint32_t>(to);
      const auto after_last_start = [&, f = from, t = to](const PlayedTree::ByEdge& times, int i) {
        return (times.at({f, t}).back() - last_us + (i * 7 + t) % 3) * kUs;
      };
      for (int i = 0; i < operations; ++i) {
        edge.sent.push_back(after_last_start(played.sent, i));
        edge.received.push_back(after_last_start(played.received, i));
        const auto wire = tree.wire_us.find({from, to});
        const int64_t wire_us = wire != tree.wire_us.end() ? wire->second : PlayedTree::kStepUs;
        edge.wire.push_back(tree.wire_us.empty() ? kNoTime : wire_us * kUs + i % 3);
      }
      series.edges.push_back(std::move(edge));
    }
  }
  for (int i = 0; i < operations; ++i) series.matches.push_back(static_cast<uint32_t>(i));
  const int64_t first_us = *std::min_element(tree.start_us.begin(), tree.start_us.end());
  series.apart.assign(series.matches.size(), (last_us - first_us) * kUs);
  return series;
}

}  // namespace lockstep::analysis
