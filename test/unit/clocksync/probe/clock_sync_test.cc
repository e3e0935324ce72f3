// The prober's life inside a process that is not its own: start, stop, signals, fork.
#include "clocksync/probe/clock_sync.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "test/unit/temp_dir.h"

namespace lockstep::clocksync {
namespace {

// The sentence of one line of /proc/self/task/<thread>/status for the thread of that name.
std::string thread_status(const std::string& name, const std::string& key) {
  std::string found;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* item = readdir(tasks)) {
    std::ifstream status(std::string("/proc/self/task/") + item->d_name + "/status");
    std::string line, value;
    bool mine = false;
    while (std::getline(status, line)) {
      mine = mine || line == "Name:\t" + name;
      if (line.compare(0, key.size(), key) == 0) value = line.substr(key.size() + 2);
    }
    if (mine) found = value;
  }
  closedir(tasks);
  return found;
}

ClockSyncOptions lonely(const TempDir& folder) {
  ClockSyncOptions options;
  options.run_directory = folder.path();
  options.job = "unit-" + std::to_string(getpid());
  options.host = "unit";
  options.rendezvous = "none";
  return options;
}

bool leads() {
  for (int i = 0; i < 500 && !clock_sync_health().leader; ++i) usleep(10'000);
  return clock_sync_health().leader;
}

// A stop waits for its thread for a moment only, and on a busy machine the thread outlives that.
bool thread_goes(const std::string& name) {
  for (int i = 0; i < 6'000 && !thread_status(name, "SigBlk").empty(); ++i) usleep(10'000);
  return thread_status(name, "SigBlk").empty();
}

TEST(ClockSync, RefusesImpossibleOptionsWithASentence) {
  ClockSyncOptions options;
  options.train = 0;
  const Status status = start_clock_sync(options);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("LOCKSTEP_CLOCK_TRAIN=0"), std::string::npos);
}

TEST(ClockSync, StartsOncePerProcessAndStopsWithItsLastUser) {
  const TempDir folder;
  ASSERT_TRUE(start_clock_sync(lonely(folder)).ok());
  ASSERT_TRUE(start_clock_sync(lonely(folder)).ok());
  ASSERT_TRUE(leads());
  stop_clock_sync();
  EXPECT_TRUE(clock_sync_health().leader) << "one user is left";
  stop_clock_sync();
  EXPECT_FALSE(clock_sync_health().leader);
  stop_clock_sync();
  EXPECT_EQ(access((folder / "unit.clock").c_str(), R_OK), 0);
}

TEST(ClockSync, KeepsSignalsAwayFromItsThread) {
  if (getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "qemu-user keeps signals for itself";
  const TempDir folder;
  ASSERT_TRUE(start_clock_sync(lonely(folder)).ok());
  ASSERT_TRUE(leads());
  // All but the two that the C library keeps for itself, and KILL and STOP.
  EXPECT_EQ(thread_status("lockstep-clock", "SigBlk"), "fffffffe7ffbfeff");
  stop_clock_sync();
  EXPECT_TRUE(thread_goes("lockstep-clock"));
}

TEST(ClockSync, LeavesNothingOfTheLeadToAForkedChild) {
  const TempDir folder;
  ASSERT_TRUE(start_clock_sync(lonely(folder)).ok());
  ASSERT_TRUE(leads());
  const pid_t child = fork();
  if (child == 0) {
    const bool off = !clock_sync_health().leader;
    stop_clock_sync();
    pause();
    _exit(off ? 0 : 1);
  }
  stop_clock_sync();
  ASSERT_TRUE(start_clock_sync(lonely(folder)).ok());
  EXPECT_TRUE(leads()) << "the child still holds the lead";
  stop_clock_sync();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace lockstep::clocksync
