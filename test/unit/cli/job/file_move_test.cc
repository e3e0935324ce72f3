#include "cli/job/file_move.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

class FileMove : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/lockstep-move.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    place_ = name;
    from_ = place_ + "/from";
    to_ = place_ + "/to";
    foreign_ = place_ + "/foreign";
    write(from_, "recorded");
    write(foreign_, "foreign");
  }
  void TearDown() override { fs::remove_all(place_); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string place_, from_, to_, foreign_;
};

TEST_F(FileMove, LeavesTheFileUnderItsNewNameAlone) {
  const auto moved = move_file(from_, to_);
  ASSERT_TRUE(moved.ok()) << moved.message();
  EXPECT_EQ(moved.value(), 8u);
  EXPECT_EQ(text_of(to_), "recorded");
  EXPECT_FALSE(fs::exists(from_));
  EXPECT_FALSE(fs::exists(to_ + ".part"));
}

TEST_F(FileMove, ContinuesACopyThatWasInterrupted) {
  write(to_ + ".part", "reco");
  const auto moved = move_file(from_, to_);
  ASSERT_TRUE(moved.ok()) << moved.message();
  EXPECT_EQ(moved.value(), 4u);
  EXPECT_EQ(text_of(to_), "recorded");
}

TEST_F(FileMove, DoesNotWriteThroughALinkToAFile) {
  fs::create_symlink(foreign_, to_ + ".part");
  EXPECT_FALSE(move_file(from_, to_).ok());
  EXPECT_EQ(text_of(foreign_), "foreign");
  EXPECT_EQ(text_of(from_), "recorded");
}

TEST_F(FileMove, DoesNotMakeAFileWhereALinkPoints) {
  fs::create_symlink(place_ + "/planted", to_);
  ASSERT_TRUE(move_file(from_, to_).ok());
  EXPECT_FALSE(fs::exists(place_ + "/planted"));
  EXPECT_FALSE(fs::is_symlink(to_));
  EXPECT_EQ(text_of(to_), "recorded");
}

TEST_F(FileMove, DoesNotReplaceAnotherFile) {
  write(to_, "what was there");
  EXPECT_FALSE(move_file(from_, to_).ok());
  EXPECT_EQ(text_of(to_), "what was there");
  EXPECT_EQ(text_of(from_), "recorded");
}

}  // namespace
}  // namespace lockstep::cli
