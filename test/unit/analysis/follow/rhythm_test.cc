// Calls that are all alike, told apart by how long their ranks work before each.
#include "analysis/follow/rhythm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Two ranks that reduce one size all the time, and work before each for so many milliseconds.
struct AlikeCalls {
  explicit AlikeCalls(const std::vector<int64_t>& own_ms) {
    for (size_t i = 0; i < own_ms.size(); ++i) add(i, own_ms[i]);
    for (uint32_t rank = 0; rank < 2; ++rank) {
      for (uint32_t a = 0; a < run.arrivals.size(); ++a) {
        if (own.segments[a].actor == rank) own.order.push_back(a);
      }
    }
    calls.assign(run.arrivals.size(), 7);
  }
  void add(size_t ordinal, int64_t own_ms) {
    MatchRow& match = run.matches.emplace_back();
    match.communicator = 0;
    match.ordinal = static_cast<uint32_t>(ordinal);
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = 2;
    for (uint32_t rank = 0; rank < 2; ++rank) {
      run.arrivals.emplace_back().operation = static_cast<uint32_t>(run.operations.size());
      run.operations.emplace_back().ordinal = match.ordinal;
      Segment& segment = own.segments.emplace_back();
      segment.actor = rank;
      segment.own_ns = own_ms * kMs;
    }
  }
  // Of rank 0, in the order of its calls.
  std::vector<uint32_t> places() const {
    const std::vector<uint32_t> all = places_in_rounds(run, own, calls);
    std::vector<uint32_t> of_rank_0;
    for (size_t a = 0; a < all.size(); a += 2) of_rank_0.push_back(all[a]);
    return of_rank_0;
  }
  RunTables run;
  OwnSegments own;
  std::vector<uint64_t> calls;
};

std::vector<int64_t> repeated(const std::vector<int64_t>& round, size_t times) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < times; ++i) all.insert(all.end(), round.begin(), round.end());
  return all;
}
bool is_known(const AlikeCalls& calls) {
  const std::vector<uint32_t> places = calls.places();
  return std::any_of(places.begin(), places.end(), [](uint32_t place) { return place != 0; });
}

TEST(Rhythm, TellsThePlacesOfARound) {
  const std::vector<uint32_t> places = AlikeCalls(repeated({16, 5, 9}, 20)).places();
  for (size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], i % 3 + 1);
}

TEST(Rhythm, IsNotKnownOfFewRounds) {
  EXPECT_TRUE(is_known(AlikeCalls(repeated({16, 5}, 8))));
  EXPECT_FALSE(is_known(AlikeCalls(repeated({16, 5}, 7))));
}

TEST(Rhythm, IsNoneWhereWorkTakesAnotherTimeEach) {
  std::mt19937_64 random{7};
  std::vector<int64_t> own_ms;
  for (int i = 0; i < 200; ++i) own_ms.push_back(static_cast<int64_t>(5 + random() % 20));
  EXPECT_FALSE(is_known(AlikeCalls(own_ms)));
}

TEST(Rhythm, IsNoneWherePlacesDifferLittleMoreThanEachDoesByItself) {
  std::mt19937_64 random{7};
  std::vector<int64_t> own_ms;
  for (int i = 0; i < 200; ++i)
    own_ms.push_back((i % 2 == 0 ? 10 : 15) + static_cast<int64_t>(random() % 5));
  EXPECT_FALSE(is_known(AlikeCalls(own_ms)));
}

TEST(Rhythm, IsNotThatOfOneRankAlone) {
  AlikeCalls calls(std::vector<int64_t>(80, 5));
  for (size_t a = 1; a < calls.own.segments.size(); a += 16)
    calls.own.segments[a].own_ns = 25 * kMs;
  EXPECT_FALSE(is_known(calls));
}

TEST(Rhythm, IsLeftToTheCallsWhereTheyDiffer) {
  AlikeCalls calls(repeated({16, 5}, 20));
  for (size_t a = 0; a < calls.calls.size(); a += 4) calls.calls[a] = calls.calls[a + 1] = 8;
  EXPECT_FALSE(is_known(calls));
}

}  // namespace
}  // namespace lockstep::analysis
