// Tracks for intervals that may overlap: each interval gets a track on which nothing else runs at
// its time, because no viewer draws overlapping slices of one track. Intervals are given in about
// the order of their start; a late one is still placed where nothing overlaps it, at worst on a
// track of its own. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace lockstep::analysis {

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

template <class Group>
class Lanes {
 public:
  struct Place {
    uint32_t track = 0;
    uint32_t lane = 0;  // within its group
    bool is_new = false;
  };

  explicit Lanes(uint32_t first_track) : next_track_(first_track) {}

  // `stop_ns` is kForever for an interval that never ended.
  Place place(const Group& group, int64_t start_ns, int64_t stop_ns) {
    std::vector<Lane>& lanes = groups_[group];
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].free_ns > start_ns) continue;
      lanes[i].free_ns = stop_ns;
      return {lanes[i].track, static_cast<uint32_t>(i), false};
    }
    lanes.push_back({next_track_, stop_ns});
    return {next_track_++, static_cast<uint32_t>(lanes.size() - 1), true};
  }

 private:
  struct Lane {
    uint32_t track;
    int64_t free_ns;  // when its last interval ended
  };
  uint32_t next_track_;
  std::map<Group, std::vector<Lane>> groups_;
};

}  // namespace lockstep::analysis
