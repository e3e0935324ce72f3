#include "analysis/pyramid/pyramid_build.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kBuiltRanks = 2;
constexpr size_t kBlockWords = 6000;  // a block holds some 8,000

// Each rank calls every four milliseconds; one of them is late in some calls, by more at some times than others.
class LongRun {
 public:
  LongRun() { run_.end_ns = 70'000 * kMs; }

  // Processes of their own for these calls, as after a restart.
  void add_calls(uint32_t first_pid, unsigned first, unsigned end) {
    for (unsigned rank = 0; rank < kBuiltRanks; ++rank) {
      driver::RankRecords records(1, 0xc0 + first_pid, static_cast<int32_t>(rank), kBuiltRanks,
                                  first_pid + rank, &run_.strings);
      records.init((1'000 + 4 * first) * kMs);
      std::vector<std::vector<uint64_t>> blocks;
      for (unsigned i = first; i < end; ++i) {
        driver::RankOperation op;
        op.sequence = i;
        op.call_ns = (1'001 + 4 * i) * kMs + (rank == i % 7 ? i % 1000 * 1'000 : 0);
        op.kernel_ns = op.call_ns + 10'000;
        op.finish_ns = (1'003 + 4 * i) * kMs + i % 13 * 100'000;
        op.channels =
            0;  // no kernel: its times would be those of the clock that was fitted to a part
        records.operation(op);
        if (records.user.size() < kBlockWords && i + 1 != end) continue;
        for (std::vector<uint64_t>* words : {&records.user, &records.proxy})
          blocks.push_back(std::exchange(*words, {}));
      }
      std::vector<const std::vector<uint64_t>*> threads;
      for (const auto& block : blocks) threads.push_back(&block);
      run_.add(first_pid + rank, threads, "test");
    }
  }
  const std::string& path() const { return run_.path(); }
  std::unique_ptr<RunTables> load() const { return run_.load(); }

 private:
  TestRun run_;
};

StoredPyramid build(const std::string& path, const std::string& folder, uint64_t most_bytes,
                    PyramidNotes* notes) {
  PyramidOptions options;
  options.most_table_bytes = most_bytes;
  auto stored = load_or_build_pyramid(path, folder, options, notes);
  EXPECT_TRUE(stored.ok()) << stored.message();
  EXPECT_EQ(notes->unwritten, "");
  return std::move(stored.value());
}

void expect_equal(const Pyramid& a, const Pyramid& b) {
  ASSERT_EQ(a.finest(), b.finest());
  ASSERT_EQ(a.length_ns(), b.length_ns());
  ASSERT_EQ(a.lanes().size(), b.lanes().size());
  for (size_t lane = 0; lane < a.lanes().size(); ++lane) {
    EXPECT_EQ(a.lanes()[lane].rank, b.lanes()[lane].rank);
    EXPECT_EQ(a.lanes()[lane].host, b.lanes()[lane].host);
    for (const int level : {a.finest(), a.finest() + 2}) {
      const Cells of_a = a.cells(lane, level, 0, a.buckets());
      const Cells of_b = b.cells(lane, level, 0, a.buckets());
      for (size_t i = 0; i < of_a.size(); ++i)
        ASSERT_TRUE(of_a[i] == of_b[i])
            << "lane " << lane << " level " << level << " bucket " << i << ": busy " << of_a[i].busy
            << " and " << of_b[i].busy << ", waiting " << of_a[i].waiting << " and "
            << of_b[i].waiting << ", caused " << of_a[i].caused << " and " << of_b[i].caused;
    }
  }
}

constexpr uint64_t kAll = uint64_t{1} << 40, kPart = uint64_t{1} << 20;

class PyramidOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    run_.add_calls(10, 0, 11'250);
    folder_ = run_.path() + "/pyramid";
    std::filesystem::create_directory(folder_);
  }
  LongRun run_;
  std::string folder_;
  PyramidNotes notes_;
};

TEST_F(PyramidOnDisk, IsWhatTheTablesOfTheWholeRunGive) {
  const StoredPyramid stored = build(run_.path(), folder_, kAll, &notes_);
  EXPECT_EQ(notes_.parts, 1u);
  const auto tables = run_.load();
  const Activity activity = activity_of(*tables, RunTime(*tables));
  ASSERT_EQ(activity.lanes.size(), size_t{kBuiltRanks});
  ASSERT_GT(activity.lanes[0].busy.size(), 5'000u);
  expect_equal(stored.pyramid, Pyramid::of(activity, stored.pyramid.finest()));
  EXPECT_GT(stored.pyramid.buckets(), 2 * size_t{kWindowBuckets});
}

TEST_F(PyramidOnDisk, GivesTheTablesItWasMadeOfWhereTheyAreThoseOfTheWholeRun) {
  const StoredPyramid stored = build(run_.path(), folder_, kAll, &notes_);
  ASSERT_NE(notes_.whole.tables, nullptr);
  const auto tables = run_.load();
  EXPECT_EQ(notes_.whole.tables->operations.size(), tables->operations.size());
  EXPECT_EQ(notes_.whole.tables->arrivals.size(), tables->arrivals.size());
  expect_equal(stored.pyramid, Pyramid::of(notes_.whole.activity, stored.pyramid.finest()));
}

TEST_F(PyramidOnDisk, IsTheSameMadePartByPart) {
  const StoredPyramid whole = build(run_.path(), folder_, kAll, &notes_);
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directory(folder_);
  const StoredPyramid parts = build(run_.path(), folder_, kPart, &notes_);
  EXPECT_GE(notes_.parts, 5u);
  EXPECT_EQ(notes_.whole.tables, nullptr) << "tables of a part are not those of the run";
  expect_equal(parts.pyramid, whole.pyramid);
}

TEST_F(PyramidOnDisk, IsReadBackWithoutTheRun) {
  const StoredPyramid made = build(run_.path(), folder_, kAll, &notes_);
  const StoredPyramid again = build(run_.path(), folder_, kAll, &notes_);
  EXPECT_EQ(notes_.parts, 0u);
  EXPECT_EQ(again.origin_ns, made.origin_ns);
  expect_equal(again.pyramid, made.pyramid);
}

TEST_F(PyramidOnDisk, IsContinuedWhereTheRunHasGrown) {
  build(run_.path(), folder_, kAll, &notes_);
  const auto first_window = std::filesystem::last_write_time(folder_ + "/0.cells");
  run_.add_calls(50, 11'250, 15'000);
  const StoredPyramid grown = build(run_.path(), folder_, kPart, &notes_);
  EXPECT_EQ(std::filesystem::last_write_time(folder_ + "/0.cells"), first_window);
  const auto tables = run_.load();
  expect_equal(grown.pyramid,
               Pyramid::of(activity_of(*tables, RunTime(*tables)), grown.pyramid.finest()));
  expect_equal(build(run_.path(), folder_, kAll, &notes_).pyramid, grown.pyramid);
  EXPECT_EQ(notes_.parts, 0u);
}

TEST_F(PyramidOnDisk, IsMadeAgainWhereAFileIsDamaged) {
  const StoredPyramid made = build(run_.path(), folder_, kAll, &notes_);
  for (const char* name : {"/1.cells", "/index.json"}) {
    for (const uintmax_t cut : {0u, 45u}) {
      std::filesystem::resize_file(folder_ + name, cut);
      const StoredPyramid again = build(run_.path(), folder_, kAll, &notes_);
      EXPECT_EQ(notes_.parts, 1u) << name << " cut to " << cut;
      expect_equal(again.pyramid, made.pyramid);
    }
  }
  std::fstream file(folder_ + "/0.cells", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file.put('x');
  file.close();
  build(run_.path(), folder_, kAll, &notes_);
  EXPECT_EQ(notes_.parts, 1u);
}

// Ten minutes: of each part an eighth of it, but 10 to 15 s, are read before and behind it.
TEST(TimesRead, CountWhatLiesAroundEachPartButTheEnds) {
  RunExtent extent;
  extent.length_ns = 600'000 * kMs;
  extent.operations = 1'000'000;
  EXPECT_EQ(times_read(extent, kAll), 1);
  uint64_t most_bytes = kAll;
  while (times_read(extent, most_bytes) == 1) most_bytes /= 2;
  EXPECT_NEAR(times_read(extent, most_bytes), 1 + 20.0 / 600, 1e-6) << "in two parts";
  EXPECT_NEAR(times_read(extent, most_bytes / 8), 1 + 10 * 20.0 / 600, 1e-6) << "in eleven";
}

}  // namespace
}  // namespace lockstep::analysis
