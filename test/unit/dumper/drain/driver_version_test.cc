// The driver's version, from files as kernels print them, and its way into segments and memory files.
#include "dumper/drain/driver_version.h"

#include <filesystem>
#include <fstream>

#include "dumper/drain/dump_thread.h"
#include "dumper/run/run_directory.h"
#include "dumper/segment/process_facts.h"
#include "test/unit/dumper/drain/handmade_blocks.h"
#include "test/unit/temp_dir.h"

namespace lockstep::dumper {
namespace {

class Driver : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_.path() + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  const TempDir root_;
};

TEST_F(Driver, IsNotKnownWhereThereIsNone) { EXPECT_EQ(driver_version(root_.path()), ""); }

TEST_F(Driver, SaysItsVersionAsAModule) {
  file("/sys/module/nvidia/version", "580.65.06\n");
  EXPECT_EQ(driver_version(root_.path()), "580.65.06");
}

TEST_F(Driver, SaysItInProcWhereModulesAreNotSeen) {
  file("/proc/driver/nvidia/version",
       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
       "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n");
  EXPECT_EQ(driver_version(root_.path()), "535.104.05");
  file("/proc/driver/nvidia/version",
       "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\n");
  EXPECT_EQ(driver_version(root_.path()), "580.65.06");
}

TEST_F(Driver, IsAmongTheFactsOfEverySegmentAndOfTheMemoryFile) {
  file("/sys/module/nvidia/version", "580.65.06\n");
  const TempDir directory;
  HandmadeBlocks blocks(1);
  blocks.fill(10);
  ProcessFacts facts;
  facts.host = "node7";
  DumpOptions options;
  options.segments = sample_options(directory.path());
  options.facts = facts_to_json(facts);
  options.root = root_.path();
  DumpThread dump(
      blocks, options, [](void*, const std::string&) {}, nullptr);
  ASSERT_TRUE(dump.start());
  ASSERT_TRUE(dump.flush(5'000'000));  // a round comes after what the thread does first
  dump.finish();
  EXPECT_EQ(dump.close(), "");
  const auto run = RunDirectory::open(directory.path());
  ASSERT_TRUE(run.ok()) << run.message();
  const ProcessFacts& read = run.value().processes.at(0).facts;
  EXPECT_EQ(read.driver_version, "580.65.06");
  EXPECT_EQ(read.host, "node7");
  const ArenaHeader& arena = *blocks.arena();
  EXPECT_EQ(std::string(arena.driver_version, arena.driver_version_bytes), "580.65.06");
}

}  // namespace
}  // namespace lockstep::dumper
