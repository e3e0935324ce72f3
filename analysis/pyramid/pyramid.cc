#include "analysis/pyramid/pyramid.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

constexpr int kLeastLevel = 5;  // 1.024 ms
constexpr uint64_t kOperationsPerCell = 4;

}  // namespace

Pyramid::Pyramid(std::vector<LaneFacts> lanes, int64_t length_ns, int finest)
    : lanes_(std::move(lanes)),
      length_ns_(length_ns),
      finest_(finest),
      buckets_(static_cast<size_t>(length_ns / bucket_ns(finest) + 1)),
      cells_(1) {
  cells_[0].assign(lanes_.size(), Cells(buckets_));
}

Pyramid Pyramid::of(const Activity& activity, int finest) {
  Pyramid pyramid(facts_of(activity), activity.length_ns, finest);
  for (size_t i = 0; i < activity.lanes.size(); ++i)
    pyramid.cells_[0][i] = cells_of(activity.lanes[i], finest, 0, pyramid.buckets_);
  pyramid.complete();
  return pyramid;
}

void Pyramid::set(size_t lane, int64_t first, const Cells& cells) {
  Cells& all = cells_[0][lane];
  for (size_t i = 0; i < cells.size(); ++i) {
    const int64_t bucket = first + static_cast<int64_t>(i);
    if (bucket >= 0 && bucket < static_cast<int64_t>(all.size()))
      all[static_cast<size_t>(bucket)] = cells[i];
  }
}

void Pyramid::complete() {
  cells_.resize(1);
  while (finest_ + static_cast<int>(cells_.size()) < kLevels) {
    std::vector<Cells> next;
    for (const Cells& cells : cells_.back()) next.push_back(next_level(cells));
    cells_.push_back(std::move(next));
  }
}

Cells Pyramid::cells(size_t lane, int level, int64_t first, size_t count) const {
  Cells cut(count);
  const Cells& all = cells_[static_cast<size_t>(level - finest_)][lane];
  for (size_t i = 0; i < count; ++i) {
    const int64_t bucket = first + static_cast<int64_t>(i);
    if (bucket >= 0 && bucket < static_cast<int64_t>(all.size()))
      cut[i] = all[static_cast<size_t>(bucket)];
  }
  return cut;
}

int finest_level(uint64_t operations, size_t lanes, int64_t length_ns) {
  const uint64_t cells = std::max<uint64_t>(operations / kOperationsPerCell, 1);
  int level = kLeastLevel;
  while (level + 1 < kLevels && static_cast<uint64_t>(length_ns / bucket_ns(level)) * lanes > cells)
    ++level;
  return level;
}

std::vector<LaneFacts> facts_of(const Activity& activity) {
  return std::vector<LaneFacts>(activity.lanes.begin(), activity.lanes.end());
}

}  // namespace lockstep::analysis
