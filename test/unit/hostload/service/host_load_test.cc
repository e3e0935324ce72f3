#include "hostload/service/host_load.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "hostload/record/load_file.h"

namespace lockstep::hostload {
namespace {

class HostLoadTest : public testing::Test {
 protected:
  void SetUp() override { directory_ = mkdtemp(name_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  HostLoadOptions options() {
    HostLoadOptions options;
    options.sampler.host = "node1";
    options.sampler.run_directory = directory_;
    options.log = [this](const std::string& sentence) {
      const std::lock_guard<std::mutex> lock(mutex_);
      told_.push_back(sentence);
    };
    return options;
  }
  size_t chunks() const {
    Result<LoadReader> reader = LoadReader::open(directory_ + "/node1.load");
    size_t count = 0;
    LoadChunk chunk;
    while (reader.ok() && reader.value().next(&chunk)) ++count;
    return count;
  }
  // However busy the machine is.
  void wait_for_chunks(size_t least) const {
    while (chunks() < least) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::vector<std::string> told() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }

  std::string directory_;

 private:
  char name_[32] = "/tmp/lockstep-service-XXXXXX";
  std::mutex mutex_;  // guards told_
  std::vector<std::string> told_;
};

TEST_F(HostLoadTest, WritesAChunkASecond) {
  HostLoad load;
  ASSERT_TRUE(load.start(options()).ok());
  wait_for_chunks(2);
  load.stop();
  EXPECT_TRUE(told().empty());
}

TEST_F(HostLoadTest, LeavesTheFileToTheFirstAndTakesOverWhenItStops) {
  HostLoad first, second;
  ASSERT_TRUE(first.start(options()).ok());
  wait_for_chunks(1);
  ASSERT_TRUE(second.start(options()).ok());
  first.stop();
  const size_t before = chunks();
  wait_for_chunks(before + 2);  // the first one's last, at most, and one of the second
}

TEST_F(HostLoadTest, AForkedChildDoesNotKeepTheLead) {
  HostLoad first, second;
  ASSERT_TRUE(first.start(options()).ok());
  wait_for_chunks(1);
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  first.stop();
  ASSERT_TRUE(second.start(options()).ok());
  const size_t before = chunks();
  wait_for_chunks(before + 2);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(HostLoadTest, SaysOnceThatItCannotWriteAndHoldsNobodyUp) {
  std::filesystem::create_symlink("/dev/null", directory_ + "/node1.load");
  HostLoad load;
  ASSERT_TRUE(load.start(options()).ok());
  while (told().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  load.stop();
  ASSERT_EQ(told().size(), 1u);
  EXPECT_NE(told()[0].find("node1.load"), std::string::npos);
}

TEST_F(HostLoadTest, StopsWithoutAStartAndStartsAgain) {
  HostLoad load;
  load.stop();
  ASSERT_TRUE(load.start(options()).ok());
  load.stop();
  ASSERT_TRUE(load.start(options()).ok());
  wait_for_chunks(1);
}

}  // namespace
}  // namespace lockstep::hostload
