#include "analysis/relate/match_entries.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lockstep::analysis {
namespace {

// Numbers of a series follow each other: more gaps than this mean that counting takes longer than sorting.
constexpr uint64_t kMostPlacesPerEntry = 4;
constexpr unsigned kOrdinalShift = 32;  // below are replays

// Entries of one series and pair, whose ordinals go from lowest to highest.
struct Series {
  uint64_t series = 0, pair = 0;
  uint64_t lowest = ~uint64_t{0}, highest = 0;
  uint64_t first_place = 0;  // that of `lowest`, among those of all series
  bool is_of(const MatchEntry& entry) const { return series == entry.series && pair == entry.pair; }
};

class EntrySorter {
 public:
  explicit EntrySorter(std::vector<MatchEntry>* entries) : entries_(*entries) {}

  // False: not worth it, and nothing done.
  bool sort() {
    if (!find_series()) return false;
    const uint64_t places = number_places();
    if (places > kMostPlacesPerEntry * entries_.size()) return false;
    std::vector<uint32_t> next(places + 1);  // by place: where its next entry goes
    for (size_t i = 0; i < entries_.size(); ++i) ++next[place_of(i) + 1];
    for (size_t place = 1; place < next.size(); ++place) next[place] += next[place - 1];
    std::vector<MatchEntry> sorted(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) sorted[next[place_of(i)]++] = entries_[i];
    entries_.swap(sorted);
    return true;
  }

 private:
  struct KeyHash {
    size_t operator()(const std::pair<uint64_t, uint64_t>& key) const {
      return (key.first * 0x9e3779b97f4a7c15ULL ^ key.second) * 0x9e3779b97f4a7c15ULL >> 20;
    }
  };

  bool find_series() {
    std::unordered_map<std::pair<uint64_t, uint64_t>, uint32_t, KeyHash> known;
    series_of_.reserve(entries_.size());
    for (const MatchEntry& entry : entries_) {
      if (static_cast<uint32_t>(entry.number) != 0) return false;  // a replay
      if (series_of_.empty() || !series_[series_of_.back()].is_of(entry)) {
        const auto [at, is_new] =
            known.emplace(std::make_pair(entry.series, entry.pair), series_.size());
        if (is_new) series_.push_back({entry.series, entry.pair});
        series_of_.push_back(at->second);
      } else {
        series_of_.push_back(series_of_.back());
      }
      Series& series = series_[series_of_.back()];
      series.lowest = std::min(series.lowest, entry.number >> kOrdinalShift);
      series.highest = std::max(series.highest, entry.number >> kOrdinalShift);
    }
    return true;
  }

  // In the order of the series; how many.
  uint64_t number_places() {
    std::vector<Series*> order;
    for (Series& series : series_) order.push_back(&series);
    std::sort(order.begin(), order.end(), [](const Series* a, const Series* b) {
      return a->series != b->series ? a->series < b->series : a->pair < b->pair;
    });
    uint64_t places = 0;
    for (Series* series : order) {
      series->first_place = places;
      places += series->highest - series->lowest + 1;
    }
    return places;
  }

  size_t place_of(size_t entry) const {
    const Series& series = series_[series_of_[entry]];
    return series.first_place + (entries_[entry].number >> kOrdinalShift) - series.lowest;
  }

  std::vector<MatchEntry>& entries_;
  std::vector<Series> series_;
  std::vector<uint32_t> series_of_;  // by entry
};

}  // namespace

void sort_entries(std::vector<MatchEntry>* entries) {
  if (!EntrySorter(entries).sort()) std::sort(entries->begin(), entries->end());
}

}  // namespace lockstep::analysis
