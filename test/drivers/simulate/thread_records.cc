#include "test/drivers/simulate/thread_records.h"

#include <algorithm>

namespace lockstep::simulate {

const std::vector<uint64_t>& ThreadRecords::until(uint64_t last_ticks) {
  const auto by_ticks = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!sorted_) std::stable_sort(places_.begin(), places_.end(), by_ticks);
  if (sorted_ && (places_.empty() || places_.back().first <= last_ticks)) return words_;
  ordered_.clear();
  ordered_.reserve(words_.size());
  for (const auto& [ticks, first] : places_) {
    if (ticks > last_ticks) break;
    const uint64_t* const words = words_.data() + first;
    ordered_.insert(ordered_.end(), words, words + kRecordShapes[tag_of(*words)].words);
  }
  return ordered_;
}

void ThreadRecords::cut(uint64_t last_ticks) {
  const auto late = [last_ticks](const auto& place) { return place.first > last_ticks; };
  places_.erase(std::remove_if(places_.begin(), places_.end(), late), places_.end());
  sorted_ = false;  // words_ holds more than places_ now
}

}  // namespace lockstep::simulate
