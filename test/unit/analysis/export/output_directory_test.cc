#include "analysis/export/output_directory.h"

#include <gtest/gtest.h>

#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

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
