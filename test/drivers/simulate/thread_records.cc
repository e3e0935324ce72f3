#include "test/drivers/simulate/thread_records.h"

#include <algorithm>
#include <utility>

namespace lockstep::simulate {

void ThreadRecords::make_room() {
  constexpr size_t kFewWords = 512, kWorthPacking = 4'096;
  const size_t more = std::max(words_.capacity(), kFewWords);
  if (words_.capacity() < kWorthPacking || *room_ >= more) {
    *room_ -= std::min(*room_, more);
    return words_.reserve(words_.capacity() + more);
  }
  packed_.add(words_);
  words_.clear();
}

const std::vector<uint64_t>& ThreadRecords::until(uint64_t last_ticks) {
  if (!packed_.empty()) packed_.move_before(&words_);
  if (sorted_ && last_ticks_ <= last_ticks) return words_;
  std::vector<std::pair<uint64_t, const uint64_t*>> places;  // ticks and first word of each record
  for_each([&](const uint64_t* record, unsigned) {
    if (ticks_of(*record) <= last_ticks) places.emplace_back(ticks_of(*record), record);
  });
  const auto by_ticks = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!sorted_) std::stable_sort(places.begin(), places.end(), by_ticks);
  ordered_.clear();
  ordered_.reserve(words_.size());
  for (const auto& [ticks, record] : places)
    ordered_.insert(ordered_.end(), record, record + kRecordShapes[tag_of(*record)].words);
  return ordered_;
}

void ThreadRecords::cut(uint64_t last_ticks) {
  if (!packed_.empty()) packed_.move_before(&words_);
  uint64_t* kept = words_.data();
  for_each([&](const uint64_t* record, unsigned words) {
    if (ticks_of(*record) <= last_ticks) kept = std::copy(record, record + words, kept);
  });
  words_.resize(static_cast<size_t>(kept - words_.data()));
  last_ticks_ = std::min(last_ticks_, last_ticks);
}

}  // namespace lockstep::simulate
