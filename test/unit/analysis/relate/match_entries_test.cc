#include "analysis/relate/match_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lockstep::analysis {
namespace {

bool is_equal(const MatchEntry& a, const MatchEntry& b) {
  return a.same_operation(b) && a.row == b.row;
}

void expect_sorted(std::vector<MatchEntry> entries) {
  std::vector<MatchEntry> expected = entries;
  std::sort(expected.begin(), expected.end());
  sort_entries(&entries);
  EXPECT_TRUE(
      std::equal(entries.begin(), entries.end(), expected.begin(), expected.end(), is_equal));
}

// Rank after rank, each with its own operations of some series.
std::vector<MatchEntry> entries_of(unsigned ranks, unsigned replays, uint64_t gap) {
  std::mt19937_64 random(7);
  std::vector<MatchEntry> entries;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    for (uint64_t i = 0; i < 300; ++i) {
      MatchEntry entry;
      entry.series = uint64_t{3 - i % 3} << 32 | random() % 2;
      entry.pair = i % 5 == 0 ? uint64_t{random() % 4} << 32 | rank : 0;
      entry.number = (1'000 + i * gap) << 32 | (replays == 0 ? 0 : random() % replays);
      entry.row = static_cast<uint32_t>(entries.size());
      entries.push_back(entry);
    }
  }
  return entries;
}

TEST(MatchEntries, AreSortedByOperationAndThenByRow) {
  expect_sorted({});
  expect_sorted(entries_of(1, 0, 1));
  expect_sorted(entries_of(40, 0, 1));
}

TEST(MatchEntries, AreAlsoWhereNumbersHaveGapsOrOperationsAreReplayed) {
  expect_sorted(entries_of(3, 0, 50'000));
  expect_sorted(entries_of(40, 5, 1));
}

}  // namespace
}  // namespace lockstep::analysis
