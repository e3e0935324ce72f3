// Tiles against brute force: every cell of every level is counted again from the tables, instant by
// instant, by code that shares nothing with the pyramid's.
#include "analysis/pyramid/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "analysis/pyramid/pyramid.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kTickNs = 500;  // all times of the run are multiples of it
constexpr size_t kTicks = 200'000;
constexpr int64_t kEpochNs = 7'000'000'000;
constexpr int kRanks = 6;

// Operations of random lengths, some of them at once, on a communicator of all ranks and one of half.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {
    for (int rank = 0; rank < kRanks; ++rank) {
      ProcessRow& process = run.processes.emplace_back();
      process.rank = rank;
      process.host = run.strings.intern(rank < 3 ? "left" : "right");
      process.aligned = 1;
      process.first_ns = kEpochNs;
      process.last_ns = process.heard_ns = kEpochNs + at(kTicks);
    }
    run.aligned = true;
    for (int64_t tick = 0; tick < static_cast<int64_t>(kTicks) - 4000; tick += up_to(9000))
      add_match(tick, up_to(3) == 0 ? kRanks / 2 : kRanks);
  }
  RunTables run;

 private:
  static int64_t at(int64_t tick) { return tick * kTickNs; }
  int64_t up_to(int64_t most) {
    return static_cast<int64_t>(random_() % static_cast<unsigned>(most));
  }
  void add_match(int64_t tick, int ranks) {
    MatchRow match;
    match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
    match.arrivals = match.expected = static_cast<uint32_t>(ranks);
    int64_t last_ns = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      OperationRow row;
      row.process = static_cast<uint32_t>(rank);
      row.rank = rank;
      row.api_start_ns = kEpochNs + at(tick + up_to(1500));
      row.state = up_to(50) == 0 ? OpState::InFlight : OpState::Done;
      if (row.state == OpState::Done) row.finish_ns = row.api_start_ns + at(1500 + up_to(900));
      last_ns = std::max(last_ns, row.api_start_ns);
      ArrivalRow arrival;
      arrival.operation = static_cast<uint32_t>(run.operations.size());
      arrival.process = row.process;
      arrival.arrival_ns = row.api_start_ns;
      run.operations.push_back(row);
      run.arrivals.push_back(arrival);
    }
    uint32_t last = match.first_arrival;
    while (run.arrivals[last].arrival_ns != last_ns) ++last;
    for (uint32_t i = match.first_arrival; i < run.arrivals.size(); ++i) {
      run.arrivals[i].last_rank_row = last;
      run.arrivals[i].wait_ns = last_ns - run.arrivals[i].arrival_ns;
    }
    run.matches.push_back(match);
  }
  std::mt19937 random_;
};

// What a rank did in each tick.
struct Ticks {
  Ticks() : busy(kTicks), waiting(kTicks), caused(kTicks), longest_ns(kTicks) {}
  std::vector<char> busy, waiting, caused;
  std::vector<int64_t> longest_ns;
};

std::vector<Ticks> count_again(const RunTables& run) {
  std::vector<Ticks> ranks(kRanks);
  const auto each_tick = [](int64_t from_ns, int64_t to_ns, auto visit) {
    for (int64_t ns = from_ns; ns < std::min(to_ns, kEpochNs + int64_t{kTicks} * kTickNs);
         ns += kTickNs)
      visit(static_cast<size_t>((ns - kEpochNs) / kTickNs));
  };
  for (const OperationRow& row : run.operations) {
    const int64_t end_ns =
        row.state == OpState::Done ? row.finish_ns : run.processes[row.process].heard_ns;
    each_tick(row.api_start_ns, end_ns, [&](size_t tick) { ranks[row.process].busy[tick] = 1; });
  }
  for (const ArrivalRow& arrival : run.arrivals) {
    const ArrivalRow& last = run.arrivals[arrival.last_rank_row];
    Ticks& own = ranks[run.operations[arrival.operation].process];
    Ticks& other = ranks[run.operations[last.operation].process];
    each_tick(arrival.arrival_ns, arrival.arrival_ns + arrival.wait_ns, [&](size_t tick) {
      own.waiting[tick] = other.caused[tick] = 1;
      own.longest_ns[tick] = std::max(own.longest_ns[tick], arrival.wait_ns);
    });
  }
  return ranks;
}

Cell cell_again(const Ticks& ticks, int level, int64_t bucket) {
  // Ticks are half the length of the shortest bucket.
  const int64_t per_bucket = bucket_ns(level) / kTickNs;
  const auto begin = std::min<int64_t>(bucket * per_bucket, kTicks);
  const auto end = std::min<int64_t>(begin + per_bucket, kTicks);
  const auto share = [&](const std::vector<char>& of) {
    const auto part = std::count(of.begin() + begin, of.begin() + end, 1);
    return static_cast<uint16_t>((2 * part * 65535 + per_bucket) / (2 * per_bucket));
  };
  Cell cell;
  cell.busy = share(ticks.busy);
  cell.waiting = share(ticks.waiting);
  cell.caused = share(ticks.caused);
  for (int64_t tick = begin; tick < end; ++tick) {
    const auto us = static_cast<uint32_t>(ticks.longest_ns[static_cast<size_t>(tick)] / 1000);
    cell.longest_wait_us = std::max(cell.longest_wait_us, us);
  }
  return cell;
}

Activity activity_of_run(const RunTables& run) { return activity_of(run, RunTime(run)); }

TEST(Cells, OfEveryLevelAreWhatTheTablesSayInstantByInstant) {
  const RandomRun random(42);
  const std::vector<Ticks> expected = count_again(random.run);
  const Activity activity = activity_of_run(random.run);
  ASSERT_EQ(activity.lanes.size(), size_t{kRanks});
  for (const Lane& lane : activity.lanes) {
    for (int level = 0; level < 12; ++level) {
      const auto count = static_cast<size_t>(activity.length_ns / bucket_ns(level) + 2);
      const Cells cells = cells_of(lane, level, 0, count);
      for (size_t i = 0; i < count; ++i) {
        const Cell again =
            cell_again(expected[static_cast<size_t>(lane.rank)], level, static_cast<int64_t>(i));
        ASSERT_TRUE(cells[i] == again) << "rank " << lane.rank << " level " << level << " bucket "
                                       << i << ": busy " << cells[i].busy << " for " << again.busy;
      }
    }
  }
}

TEST(Cells, AskedForFromTheMiddleAreTheSameAsFromTheBeginning) {
  const RandomRun random(7);
  const Activity activity = activity_of_run(random.run);
  const Cells all = cells_of(activity.lanes[2], 3, 0, 1000);
  const Cells part = cells_of(activity.lanes[2], 3, 400, 100);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 400));
}

TEST(Pyramid, HoldsTheExactCellsAtItsFinestLevelAndMeansOfFourAbove) {
  const RandomRun random(3);
  const Activity activity = activity_of_run(random.run);
  const Pyramid pyramid = Pyramid::of(activity, 4);
  for (size_t lane = 0; lane < activity.lanes.size(); ++lane) {
    Cells expected = cells_of(activity.lanes[lane], 4, 0, pyramid.buckets());
    for (int level = 4; level < kLevels; ++level) {
      const Cells cells = pyramid.cells(lane, level, 0, expected.size());
      ASSERT_TRUE(cells == expected) << "level " << level;
      Cells four((expected.size() + 3) / 4);
      for (size_t i = 0; i < expected.size(); ++i) {
        Cell& one = four[i / 4];
        one.longest_wait_us = std::max(one.longest_wait_us, expected[i].longest_wait_us);
      }
      for (size_t i = 0; i < four.size(); ++i) {
        uint32_t busy = 2, waiting = 2, caused = 2;
        for (size_t k = 4 * i; k < std::min(4 * i + 4, expected.size()); ++k) {
          busy += expected[k].busy;
          waiting += expected[k].waiting;
          caused += expected[k].caused;
        }
        four[i].busy = static_cast<uint16_t>(busy / 4);
        four[i].waiting = static_cast<uint16_t>(waiting / 4);
        four[i].caused = static_cast<uint16_t>(caused / 4);
      }
      expected = four;
    }
  }
}

struct ReadTile {
  uint32_t rows = 0, columns = 0;
  int64_t from_ns = 0, to_ns = 0, bucket_ns = 0;
  std::string bytes;
  template <class Number>
  Number number(size_t at) const {
    Number value{};
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  }
  size_t cell(size_t row, size_t column) const {
    return 64 + size_t{rows} * 8 + (row * columns + column) * 16;
  }
};

ReadTile tile_of(const Activity& activity, const TileRequest& request) {
  const std::vector<LaneFacts> lanes = facts_of(activity);
  const auto shape = shape_of(lanes, request);
  EXPECT_TRUE(shape.ok()) << shape.message();
  ReadTile tile;
  tile.bytes = tile_bytes(lanes, shape.value(), [&](size_t lane) {
    return cells_of(activity.lanes[lane], shape.value().level, shape.value().first,
                    shape.value().columns);
  });
  EXPECT_EQ(tile.bytes.substr(0, 8), "LKTILES1");
  tile.rows = tile.number<uint32_t>(8);
  tile.columns = tile.number<uint32_t>(12);
  tile.from_ns = tile.number<int64_t>(16);
  tile.to_ns = tile.number<int64_t>(24);
  tile.bucket_ns = tile.number<int64_t>(32);
  EXPECT_EQ(tile.bytes.size(), tile.cell(tile.rows, 0) + tile.number<uint32_t>(40));
  return tile;
}

TEST(Tiles, OfSeveralRanksARowHaveTheirMeansAndWhoCausedMostWaiting) {
  const RandomRun random(11);
  const std::vector<Ticks> expected = count_again(random.run);
  TileRequest request;
  request.to_ns = int64_t{kTicks} * kTickNs;
  request.level = 6;
  request.by = TileRows::Hosts;
  const ReadTile tile = tile_of(activity_of_run(random.run), request);
  ASSERT_EQ(tile.rows, 2u);
  EXPECT_EQ(tile.number<uint32_t>(64 + 8), 3u);
  EXPECT_EQ(tile.number<uint32_t>(64 + 12), 5u);
  EXPECT_EQ(tile.bucket_ns, bucket_ns(6));
  EXPECT_EQ(tile.bytes.substr(tile.cell(tile.rows, 0)), R"(["left","right"])");
  bool somebody = false;
  for (uint32_t row = 0; row < tile.rows; ++row) {
    for (uint32_t column = 0; column < tile.columns; ++column) {
      uint32_t busy = 1, waiting = 1, caused = 0, worst = 0xFFFFFFFF;
      for (uint32_t rank = row * 3; rank < row * 3 + 3; ++rank) {
        const Cell cell = cell_again(expected[rank], 6, column);
        busy += cell.busy;
        waiting += cell.waiting;
        if (cell.caused > caused) caused = cell.caused, worst = rank;
      }
      const size_t at = tile.cell(row, column);
      ASSERT_EQ(tile.number<uint16_t>(at), busy / 3);
      ASSERT_EQ(tile.number<uint16_t>(at + 2), waiting / 3);
      ASSERT_EQ(tile.number<uint16_t>(at + 4), caused);
      ASSERT_EQ(tile.number<uint32_t>(at + 8), worst);
      somebody = somebody || worst != 0xFFFFFFFF;
    }
  }
  EXPECT_TRUE(somebody);
}

TEST(Tiles, SayWhereNothingWasRecordedAndWhereSomethingWasLost) {
  RandomRun random(5);
  random.run.processes[1].first_ns = kEpochNs + 30'000'000;  // level 6 is 4.096 ms: within bucket 7
  random.run.processes[2].lost = 9;
  TileRequest request;
  request.to_ns = int64_t{kTicks} * kTickNs;
  request.level = 6;
  const ReadTile tile = tile_of(activity_of_run(random.run), request);
  const auto flags = [&](size_t row, size_t column) {
    return tile.number<uint16_t>(tile.cell(row, column) + 6);
  };
  EXPECT_EQ(flags(0, 3), 0);
  EXPECT_EQ(flags(1, 6), 1);
  EXPECT_EQ(flags(1, 7), 4);
  EXPECT_EQ(flags(1, 8), 0);
  EXPECT_EQ(flags(2, 8), 2);
}

TEST(Tiles, TakeTheFinestLevelThatTheColumnsAreEnoughFor) {
  const std::vector<LaneFacts> lanes(1);
  TileRequest request;
  request.from_ns = 1'500'000;
  request.to_ns = 5'000'000;
  request.columns = 60;
  const auto shape = shape_of(lanes, request);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(bucket_ns(shape.value().level), 64'000);
  EXPECT_EQ(shape.value().from_ns(), 1'472'000);
  EXPECT_EQ(shape.value().to_ns(), 5'056'000);
}

TEST(Tiles, RefuseWhatCannotBe) {
  const std::vector<LaneFacts> lanes(1);
  TileRequest request;
  EXPECT_FALSE(shape_of(lanes, request).ok());  // from = to
  request.to_ns = 10'000'000;
  request.level = 0;
  EXPECT_FALSE(shape_of(lanes, request).ok());  // 10,000 columns
  request.level = 6;
  EXPECT_TRUE(shape_of(lanes, request).ok());
  request.rows = 257;
  EXPECT_FALSE(shape_of(lanes, request).ok());
  request.rows = 1;
  request.ranks = {{3, 9}};
  EXPECT_FALSE(shape_of(lanes, request).ok());  // the only lane has no such rank
}

}  // namespace
}  // namespace lockstep::analysis
