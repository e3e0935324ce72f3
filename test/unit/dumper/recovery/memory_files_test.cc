#include "dumper/recovery/memory_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {
namespace {

class MemoryFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    header_ = std::make_unique<ArenaHeader>();
    header_->magic = kArenaMagic;
    header_->version = 1;
    header_->pid = 4711;
    header_->process_uid = 12;
    header_->process_start = 34;
    std::strcpy(header_->host, "n1.example");
    std::strcpy(header_->boot_id, "boot");
    std::strcpy(header_->run_dir, "/runs/a");
    char name[] = "/tmp/lockstep-memory.XXXXXX";
    const int file = mkstemp(name);
    ASSERT_GE(file, 0);
    close(file);
    path_ = name;
  }
  void TearDown() override { unlink(path_.c_str()); }

  void write(size_t bytes) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    ASSERT_EQ(std::fwrite(static_cast<const void*>(header_.get()), 1, bytes, file), bytes);
    std::fclose(file);
  }

  std::unique_ptr<ArenaHeader> header_;
  std::string path_;
};

TEST_F(MemoryFiles, TheHeadTellsTheProcessAndItsRun) {
  write(4096);
  const auto file = read_memory_file(path_);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->process.host, "n1.example");
  EXPECT_EQ(file->process.boot_id, "boot");
  EXPECT_EQ(file->process.pid, 4711u);
  EXPECT_EQ(file->process.start, 34u);
  EXPECT_EQ(file->process_uid, 12u);
  EXPECT_EQ(file->run_directory, "/runs/a");
}

TEST_F(MemoryFiles, ATextThatFillsItsFieldEndsThere) {
  std::memset(header_->host, 'h', sizeof header_->host);
  write(4096);
  ASSERT_TRUE(read_memory_file(path_));
  EXPECT_EQ(read_memory_file(path_)->process.host, std::string(sizeof header_->host, 'h'));
}

TEST_F(MemoryFiles, AFileThatIsCutShortOrSomethingElseIsNone) {
  write(200);
  EXPECT_FALSE(read_memory_file(path_));
  header_->magic ^= 1;
  write(4096);
  EXPECT_FALSE(read_memory_file(path_));
  header_->magic ^= 1;
  header_->version = 2;
  write(4096);
  EXPECT_FALSE(read_memory_file(path_));
}

// It becomes part of a path.
TEST_F(MemoryFiles, AHostWithASlashIsNone) {
  std::strcpy(header_->host, "../n1");
  write(4096);
  EXPECT_FALSE(read_memory_file(path_));
}

TEST_F(MemoryFiles, ALinkIsNotFollowed) {
  write(4096);
  const std::string link = path_ + ".link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_FALSE(read_memory_file(link));
  unlink(link.c_str());
}

}  // namespace
}  // namespace lockstep::dumper
