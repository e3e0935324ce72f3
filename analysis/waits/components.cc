#include "analysis/waits/components.h"

#include <algorithm>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {
namespace {

// Tarjan's algorithm without recursion: a ring of 1,024 ranks is a deep graph.
class Components {
 public:
  explicit Components(const std::vector<std::vector<uint32_t>>& edges)
      : edges_(edges), number_(edges.size()), low_(edges.size()), of_(edges.size(), kNoRow) {
    for (uint32_t node = 0; node < edges.size(); ++node) {
      if (number_[node] == 0) walk(node);
    }
  }
  std::vector<uint32_t> take() { return std::move(of_); }

 private:
  struct Frame {
    uint32_t node;
    size_t next = 0;
  };

  void walk(uint32_t root) {
    std::vector<Frame> path;
    enter(root, &path);
    while (!path.empty()) {
      Frame& at = path.back();
      if (at.next < edges_[at.node].size()) {
        const uint32_t to = edges_[at.node][at.next++];
        if (number_[to] == 0)
          enter(to, &path);
        else if (of_[to] == kNoRow)
          low_[at.node] = std::min(low_[at.node], number_[to]);
        continue;
      }
      const uint32_t done = at.node;
      path.pop_back();
      if (!path.empty()) low_[path.back().node] = std::min(low_[path.back().node], low_[done]);
      if (low_[done] == number_[done]) close(done);
    }
  }
  void enter(uint32_t node, std::vector<Frame>* path) {
    number_[node] = low_[node] = ++count_;
    open_.push_back(node);
    path->push_back({node});
  }
  void close(uint32_t node) {
    uint32_t member = kNoRow;
    do {
      member = open_.back();
      open_.pop_back();
      of_[member] = components_;
    } while (member != node);
    ++components_;
  }

  const std::vector<std::vector<uint32_t>>& edges_;
  std::vector<uint32_t> number_, low_, of_, open_;
  uint32_t count_ = 0, components_ = 0;
};

}  // namespace

std::vector<uint32_t> components_of(const std::vector<std::vector<uint32_t>>& edges) {
  return Components(edges).take();
}

}  // namespace lockstep::analysis
