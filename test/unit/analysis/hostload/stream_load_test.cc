#include "analysis/hostload/stream_load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "hostload/record/load_file.h"

namespace lockstep::analysis {
namespace {

// Texts of its rows are gone: they live during the call only.
struct Rows : LoadSink {
  void thread_load(const ThreadLoadRow& row) override { threads.push_back(row); }
  void host_load(const HostLoadRow& row) override { hosts.push_back(row); }
  void nic_counter(const NicCounterRow& row) override { counters.push_back(row); }
  void gpu_state(const GpuStateRow& row) override { gpus.push_back(row); }
  std::vector<ThreadLoadRow> threads;
  std::vector<HostLoadRow> hosts;
  std::vector<NicCounterRow> counters;
  std::vector<GpuStateRow> gpus;
};

class StreamLoad : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = mkdtemp(name_);
    ProcessRow process;
    process.uid = 4711;
    run_.processes = {ProcessRow(), process};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static LoadChunk chunk() {
    LoadChunk chunk;
    chunk.host = "node1";
    chunk.threads = {{4711, 10, 11, "python"}};
    chunk.cgroups = {""};
    chunk.counters = {{"eth0", 0, "rx_errors"}};
    chunk.gpu_facts = {{"GPU-1", 3, "sm_clock_mhz"}};
    return chunk;
  }
  void write(LoadChunk chunk) const {
    auto writer = hostload::LoadWriter::open(directory_, "node1");
    ASSERT_TRUE(writer.ok() && writer.value().append(&chunk).ok());
  }
  std::vector<std::string> read(Rows* rows) const { return stream_load(directory_, run_, rows); }

  RunTables run_;
  std::string directory_;

 private:
  char name_[32] = "/tmp/lockstep-stream-XXXXXX";
};

TEST_F(StreamLoad, RowsSayWhatHappenedSinceTheRowBeforeAcrossChunks) {
  LoadChunk first = chunk(), second = chunk();
  first.thread_times = {{0, 1000, 500, 40, 7}};
  second.thread_times = {{0, 1100, 530, 110, 9}};
  write(first);
  write(second);
  Rows rows;
  EXPECT_TRUE(read(&rows).empty());
  ASSERT_EQ(rows.threads.size(), 2u);
  EXPECT_EQ(rows.threads[0].interval_ns, kNoTime);
  EXPECT_EQ(rows.threads[0].wait_ns, kNoTime);
  EXPECT_EQ(rows.threads[0].total_wait_ns, 40);
  EXPECT_EQ(rows.threads[1].process, 1u);
  EXPECT_EQ(rows.threads[1].at_ns, 1100);
  EXPECT_EQ(rows.threads[1].interval_ns, 100);
  EXPECT_EQ(rows.threads[1].run_ns, 30);
  EXPECT_EQ(rows.threads[1].wait_ns, 70);
  EXPECT_EQ(rows.threads[1].timeslices, 2);
}

TEST_F(StreamLoad, EventsStandInTheRowOfTheirInstant) {
  LoadChunk one = chunk();
  one.thread_times = {{0, 1000, 1, 1, 1}, {0, 1100, 2, 2, 2}, {0, 2000, 3, 3, 3}};
  one.thread_events = {{0, 1000, 10, 20, 30, 40, 1, 2}, {0, 2000, 11, 25, 30, 41, 0, 2}};
  write(one);
  Rows rows;
  read(&rows);
  ASSERT_EQ(rows.threads.size(), 3u);
  EXPECT_EQ(rows.threads[0].voluntary_switches, kNoTime);
  EXPECT_EQ(rows.threads[0].processors_allowed, 2);
  EXPECT_EQ(rows.threads[1].processor, kNoTime);
  EXPECT_EQ(rows.threads[2].voluntary_switches, 1);
  EXPECT_EQ(rows.threads[2].involuntary_switches, 5);
  EXPECT_EQ(rows.threads[2].major_faults, 1);
  EXPECT_EQ(rows.threads[2].processor, 0);
}

TEST_F(StreamLoad, ATotalThatShrankSaysNothing) {
  LoadChunk one = chunk();
  one.thread_times = {{0, 1000, 500, 40, 7}, {0, 1100, 10, 0, 1}};
  one.counter_values = {{0, 1, 9}, {0, 2, 3}};
  write(one);
  Rows rows;
  read(&rows);
  EXPECT_EQ(rows.threads[1].run_ns, kNoTime);
  ASSERT_EQ(rows.counters.size(), 2u);
  EXPECT_EQ(rows.counters[1].value, 3);
  EXPECT_EQ(rows.counters[1].change, kNoTime);
}

TEST_F(StreamLoad, WhatTheKernelDidNotSayIsNotKnown) {
  LoadChunk one = chunk();
  HostLoad load;
  load.raw_ns = 5;
  load.cpu_some_ns = 100;
  one.host_loads = {load, load};
  one.host_loads[1].raw_ns = 9;
  one.host_loads[1].cpu_some_ns = 130;
  write(one);
  Rows rows;
  read(&rows);
  ASSERT_EQ(rows.hosts.size(), 2u);
  EXPECT_EQ(rows.hosts[1].interval_ns, 4);
  EXPECT_EQ(rows.hosts[1].cpu_pressure_ns, 30);
  EXPECT_EQ(rows.hosts[1].throttled_ns, kNoTime);
  EXPECT_EQ(rows.hosts[1].memory_limit_bytes, kNoTime);
  EXPECT_LT(rows.hosts[1].processors, 0);
}

TEST_F(StreamLoad, AGpusFactMayFall) {
  LoadChunk one = chunk();
  one.gpu_values = {{0, 1, 1980}, {0, 2, 345}};
  write(one);
  Rows rows;
  read(&rows);
  ASSERT_EQ(rows.gpus.size(), 2u);
  EXPECT_EQ(rows.gpus[1].gpu_index, 3u);
  EXPECT_EQ(rows.gpus[1].change, 345 - 1980);
}

TEST_F(StreamLoad, DamageIsToldAndATornTailIsNot) {
  LoadChunk one = chunk();
  one.thread_times = {{0, 1000, 500, 40, 7}};
  write(one);
  const std::string path = directory_ + "/node1.load";
  const auto whole = std::filesystem::file_size(path);
  write(one);
  std::filesystem::resize_file(path, whole + 50);
  Rows torn, damaged;
  EXPECT_TRUE(read(&torn).empty());
  EXPECT_EQ(torn.threads.size(), 1u);
  write(one);
  const std::vector<std::string> told = read(&damaged);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("node1.load: 50 bytes at offset " + std::to_string(whole)),
            std::string::npos)
      << told[0];
  EXPECT_EQ(damaged.threads.size(), 2u);
}

}  // namespace
}  // namespace lockstep::analysis
