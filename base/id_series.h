// From event ids to small numbers, as IdMap, where ids are told in ascending order, mostly, and asked for near those asked
// for before: what a process called, in the order of its calls. Then an id costs no more than the next place of a
// vector, and memory is read in order. Ids that come out of order are in an IdMap. Id 0 is never a key. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/id_map.h"

namespace lockstep {

class IdSeries {
 public:
  static constexpr uint32_t kNone = IdMap::kNone;

  uint32_t find(uint64_t id) const {
    if (id == 0) return kNone;
    const size_t at = place_of(id);
    return at == ids_.size() ? late_.find(id) : ids_[at].second;
  }
  // Overwrites.
  void set(uint64_t id, uint32_t value) {
    if (id == 0) return;
    if (ids_.empty() || id > ids_.back().first) {
      ids_.emplace_back(id, value);
      return;
    }
    const size_t at = place_of(id);
    if (at == ids_.size()) {
      late_.set(id, value);
    } else {
      ids_[at].second = value;
    }
  }
  void clear() {
    ids_.clear();
    late_.clear();
    last_ = 0;
  }

 private:
  static constexpr size_t kNear = 4;

  // Its size: not there.
  size_t place_of(uint64_t id) const {
    const size_t end = std::min(last_ + kNear, ids_.size());
    for (size_t i = last_; i < end; ++i) {
      if (ids_[i].first == id) return last_ = i;
    }
    const auto found =
        std::lower_bound(ids_.begin(), ids_.end(), id,
                         [](const auto& known, uint64_t wanted) { return known.first < wanted; });
    if (found == ids_.end() || found->first != id) return ids_.size();
    return last_ = static_cast<size_t>(found - ids_.begin());
  }

  std::vector<std::pair<uint64_t, uint32_t>> ids_;
  IdMap late_;
  mutable size_t last_ = 0;  // where the last one asked for was
};

}  // namespace lockstep
