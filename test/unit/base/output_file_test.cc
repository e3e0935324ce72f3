#include "base/output_file.h"

#include <gtest/gtest.h>

#include "test/unit/temp_dir.h"

namespace lockstep {
namespace {

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TempDir dir;

  auto file = OutputFile::create(dir / "out", IfExists::Refuse);
  ASSERT_TRUE(file.ok());
  file.value()->write("whole");
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
  ASSERT_TRUE(file.value()->commit().ok());

  EXPECT_EQ(read_text(dir / "out"), "whole");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputFile, LeavesNothingBehindWhenItIsGivenUp) {
  const TempDir dir;

  OutputFile::create(dir / "out", IfExists::Refuse).value()->write("half");

  EXPECT_EQ(dir.entries(), 0u);
}

TEST(OutputFile, LeavesAnExistingFileAloneUnlessToldToReplaceIt) {
  const TempDir dir;
  write_text(dir / "out", "old");

  const auto refused = OutputFile::create(dir / "out", IfExists::Refuse);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("--force"), std::string::npos);
  EXPECT_EQ(read_text(dir / "out"), "old");

  auto file = OutputFile::create(dir / "out", IfExists::Replace);
  file.value()->write("new");
  ASSERT_TRUE(file.value()->commit().ok());
  EXPECT_EQ(read_text(dir / "out"), "new");
}

TEST(OutputFile, DoesNotReplaceAFileThatAppearedMeanwhile) {
  const TempDir dir;
  auto file = OutputFile::create(dir / "out", IfExists::Refuse);
  write_text(dir / "out", "somebody else's");

  EXPECT_FALSE(file.value()->commit().ok());

  EXPECT_EQ(read_text(dir / "out"), "somebody else's");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputFile, NamesAFolderThatIsNotThere) {
  const TempDir dir;
  const auto file = OutputFile::create(dir / "none/out", IfExists::Refuse);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.message().find("none/out"), std::string::npos);
}

TEST(OutputFile, GivesTheFileTheModeAskedFor) {
  const TempDir dir;

  ASSERT_TRUE(write_file(dir / "key", "secret", IfExists::Refuse, {0600, true}).ok());

  EXPECT_EQ(std::filesystem::status(dir / "key").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(OutputFile, ReplacesALinkAndNotWhatItPointsAt) {
  const TempDir dir;
  write_text(dir / "precious", "old");
  std::filesystem::create_symlink(dir / "precious", dir / "out");

  ASSERT_TRUE(write_file(dir / "out", "new", IfExists::Replace).ok());

  EXPECT_EQ(read_text(dir / "precious"), "old");
  EXPECT_EQ(read_text(dir / "out"), "new");
}

TEST(OutputFile, LetsTwoWritersOfOneNameEachWriteAWholeFile) {
  const TempDir dir;
  auto first = OutputFile::create(dir / "out", IfExists::Replace);
  first.value()->write("first");
  ASSERT_TRUE(write_file(dir / "out", "second", IfExists::Replace).ok());
  EXPECT_EQ(read_text(dir / "out"), "second");

  ASSERT_TRUE(first.value()->commit().ok());

  EXPECT_EQ(read_text(dir / "out"), "first");
  EXPECT_EQ(dir.entries(), 1u);
}

}  // namespace
}  // namespace lockstep
