#include "analysis/export/export_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

void write(const std::string& path, const std::string& bytes) {
  auto file = ExportFile::create(path, IfExists::Refuse);
  ASSERT_TRUE(file.ok()) << file.message();
  for (size_t at = 0; at < bytes.size(); at += 1000) file.value()->write(bytes.substr(at, 1000));
  ASSERT_TRUE(file.value()->commit().ok());
}

TEST(AnExportFile, IsCompressedWhenItsNameSaysSo) {
  const TempDir dir;
  std::string bytes;
  for (unsigned i = 0; i < 100000; ++i) bytes += std::to_string(i * i) + " is a square; ";
  write(dir / "squares.json", bytes);
  write(dir / "squares.json.gz", bytes);
  write(dir / "gz", bytes);

  EXPECT_EQ(read_text(dir / "squares.json"), bytes);
  EXPECT_EQ(read_text(dir / "gz"), bytes) << "a name, not a suffix";
  EXPECT_LT(read_text(dir / "squares.json.gz").size(), bytes.size() / 3);
  const std::string unpack = "gzip -dc " + (dir / "squares.json.gz") + " >" + (dir / "unpacked");
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  EXPECT_EQ(read_text(dir / "unpacked"), bytes);
}

TEST(AnExportFile, MayHoldNothing) {
  const TempDir dir;
  write(dir / "empty.gz", "");
  EXPECT_EQ(std::system(("gzip -t " + (dir / "empty.gz")).c_str()), 0);
}

}  // namespace
}  // namespace lockstep::analysis
