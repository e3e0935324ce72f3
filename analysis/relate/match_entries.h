// Rows of operations by what makes them the same operation, in order: for matching.cc. Plain data; one thread.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// What is equal in all rows of one operation, and one of these rows.
struct MatchEntry {
  uint64_t series = 0;  // communicator, function
  uint64_t pair = 0;    // send, receive: sender, receiver
  uint64_t number = 0;  // ordinal, replay
  uint32_t row = 0;
  bool same_operation(const MatchEntry& other) const {
    return series == other.series && pair == other.pair && number == other.number;
  }
  bool operator<(const MatchEntry& other) const {
    if (series != other.series) return series < other.series;
    if (pair != other.pair) return pair < other.pair;
    if (number != other.number) return number < other.number;
    return row < other.row;
  }
};

// What is given in the order of its rows is sorted, and in linear time where operations are called and not replayed.
void sort_entries(std::vector<MatchEntry>* entries);

}  // namespace lockstep::analysis
