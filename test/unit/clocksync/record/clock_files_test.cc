#include "clocksync/record/clock_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "clocksync/record/clock_records.h"
#include "test/unit/temp_dir.h"

namespace lockstep::clocksync {
namespace {

HullBin some_bin() {
  HullBin bin;
  bin.t_raw_ns = 5;
  bin.peer = "host \"b\"";
  bin.path = 1;
  bin.bin = -3;
  bin.received = 30;
  bin.lost = 2;
  bin.duplicated = 1;
  bin.purity = 0.625;
  bin.points = {{1'700'000'000'123'456'789, -9'000'000'000'000'000'001, StampKind::Kernel, 21},
                {1'700'000'000'123'456'999, 250, StampKind::Application, 0}};
  return bin;
}

std::vector<ClockRecord> read_all(const std::string& path, ClockReadReport* report) {
  ClockRecordReader reader = std::move(ClockRecordReader::open(path).value());
  std::vector<ClockRecord> records;
  while (std::optional<ClockRecord> record = reader.next()) records.push_back(std::move(*record));
  *report = reader.report();
  return records;
}

TEST(ClockFiles, EveryKindOfRecordSurvivesTheFileUnchanged) {
  ClockHello hello;
  hello.host = "a";
  hello.nonce = 0xfedcba9876543210u;
  hello.vdso = false;
  hello.addresses = {"10.0.0.1", "10.0.0.2"};
  hello.config = {{"D", "100", "default"}};
  const std::vector<ClockRecord> records = {hello,
                                            ClockSnapshot{7, 1, 2, 3, 40, -12.5, 64},
                                            GpuSnapshot{8, "GPU-1", 1, 2, 3, 32, "x", {1, 4}},
                                            some_bin(),
                                            WindowStats{},
                                            EdgeState{9, "b", "steady", "", 10},
                                            ClockFault{10, "no_path", "b", "silent for 3 s", 4}};
  TempDir dir;
  {
    ClockRecordWriter writer = std::move(ClockRecordWriter::open(dir.path(), "a").value());
    for (const ClockRecord& record : records) writer.append(record);
    ASSERT_TRUE(writer.flush().ok());
  }

  ClockReadReport report;
  const std::vector<ClockRecord> back = read_all(dir.path() + "/a.clock", &report);

  ASSERT_EQ(back.size(), records.size());
  for (size_t i = 0; i < back.size(); ++i) EXPECT_EQ(to_json(back[i]), to_json(records[i]));
  const HullBin& bin = std::get<HullBin>(back[3]);
  EXPECT_EQ(bin.points[0].delta_ns, -9'000'000'000'000'000'001);
  EXPECT_EQ(bin.peer, "host \"b\"");
  EXPECT_EQ(std::get<ClockHello>(back[0]).nonce, 0xfedcba9876543210u);
  EXPECT_EQ(report.damaged_lines, 0u);
}

TEST(ClockFiles, ADamagedLineCostsOnlyItselfAndIsNamedByItsOffset) {
  TempDir dir;
  const std::string good = to_json(some_bin()) + "\n";
  const std::string path = dir.path() + "/a.clock";
  write_text(path, good + "{\"type\":\"hull\",\"peer\":7}\n" + "garbage\n" + good);

  ClockReadReport report;
  const auto records = read_all(path, &report);

  EXPECT_EQ(records.size(), 2u);
  EXPECT_EQ(report.damaged_lines, 2u);
  EXPECT_NE(report.complaints.at(0).find("byte " + std::to_string(good.size())), std::string::npos)
      << report.complaints.at(0);
  EXPECT_NE(report.complaints.at(0).find("'peer'"), std::string::npos);
}

TEST(ClockFiles, ATornLastLineIsCountedAndNotAnError) {
  TempDir dir;
  const std::string good = to_json(some_bin()) + "\n";
  const std::string path = dir.path() + "/a.clock";
  write_text(path, good + good.substr(0, 30));

  ClockReadReport report;
  EXPECT_EQ(read_all(path, &report).size(), 1u);
  EXPECT_EQ(report.damaged_lines, 0u);
  EXPECT_EQ(report.torn_tail_bytes, 30u);
}

TEST(ClockFiles, AWriterThatFollowsACrashedOneStartsOnALineOfItsOwn) {
  TempDir dir;
  write_text(dir.path() + "/a.clock", "{\"type\":\"hu");
  {
    ClockRecordWriter writer = std::move(ClockRecordWriter::open(dir.path(), "a").value());
    writer.append(some_bin());
    ASSERT_TRUE(writer.flush().ok());
  }

  ClockReadReport report;
  EXPECT_EQ(read_all(dir.path() + "/a.clock", &report).size(), 1u);
  EXPECT_EQ(report.damaged_lines, 1u);
}

TEST(ClockFiles, OverlongLinesDeepNestingAndUnknownTypesAreSkipped) {
  TempDir dir;
  const std::string good = to_json(some_bin()) + "\n";
  const std::string path = dir.path() + "/a.clock";
  write_text(path, std::string(ClockRecordReader::kMaxLineBytes + 5, 'x') + "\n" +
                       "{\"type\":\"new\"}\n" + std::string(500'000, '[') + "\n" + good);

  ClockReadReport report;
  EXPECT_EQ(read_all(path, &report).size(), 1u);
  EXPECT_EQ(report.damaged_lines, 2u);
  EXPECT_EQ(report.unknown_types, 1u);
}

TEST(ClockFiles, AFileThatTakesNoMoreDropsLinesCountsThemAndDoesNotStopTheWriter) {
  TempDir dir;
  Result<ClockRecordWriter> opened = ClockRecordWriter::open(dir.path(), "a");
  ASSERT_TRUE(opened.ok()) << opened.message();
  ClockRecordWriter writer = std::move(opened.value());
  ASSERT_TRUE(writer.flush().ok());

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  writer.append(some_bin());
  const bool flushed = writer.flush().ok();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(flushed);
  EXPECT_EQ(writer.lines_dropped(), 1u);
}

TEST(ClockFiles, NeitherAMissingDirectoryNorALinkIsWrittenTo) {
  EXPECT_FALSE(ClockRecordWriter::open("/nonexistent", "a").ok());
  TempDir dir;
  ASSERT_EQ(symlink("/dev/full", (dir.path() + "/a.clock").c_str()), 0);
  EXPECT_FALSE(ClockRecordWriter::open(dir.path(), "a").ok());
}

}  // namespace
}  // namespace lockstep::clocksync
