#include "base/output_file.h"

#include <gtest/gtest.h>

#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
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

void export_into(const std::string& path, IfExists if_exists, const std::string& text) {
  auto out = OutputDirectory::create(path, if_exists);
  ASSERT_TRUE(out.ok()) << out.message();
  auto file = out.value()->file("sub/file");
  ASSERT_TRUE(file.ok()) << file.message();
  file.value()->write(text);
  ASSERT_TRUE(file.value()->commit().ok());
  ASSERT_TRUE(out.value()->commit("mark").ok());
}

TEST(OutputDirectory, IsReplacedWholeWhenAnExportMadeIt) {
  const TempDir dir;
  export_into(dir / "out", IfExists::Refuse, "first");
  write_text(dir / "out/stale", "of the first");

  EXPECT_FALSE(OutputDirectory::create(dir / "out", IfExists::Refuse).ok());
  export_into(dir / "out/", IfExists::Replace, "second");

  EXPECT_EQ(read_text(dir / "out/sub/file"), "second");
  EXPECT_FALSE(std::filesystem::exists(dir / "out/stale"));
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputDirectory, IsNeverReplacedWhenItHoldsSomethingElse) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "thesis");
  write_text(dir / "thesis/chapter", "years of work");

  const auto out = OutputDirectory::create(dir / "thesis", IfExists::Replace);

  ASSERT_FALSE(out.ok());
  EXPECT_NE(out.message().find("not made by an export"), std::string::npos);
  EXPECT_EQ(read_text(dir / "thesis/chapter"), "years of work");
}

}  // namespace
}  // namespace lockstep::analysis
