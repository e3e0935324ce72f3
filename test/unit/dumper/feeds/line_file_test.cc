// A file of lines that its readers may take away.
#include "dumper/feeds/line_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write_line(LineFile* file, const char* line) {
  file->add(line);
  const Status status = file->flush();
  ASSERT_TRUE(status.ok()) << status.message();
}

TEST(LineFile, EmptiesWhatAnEarlierProcessLeftAndThenGrows) {
  const TempDir directory;
  const std::string path = directory.path() + "/log";
  std::ofstream(path) << "old\n";
  LineFile file(path);

  write_line(&file, "one");
  write_line(&file, "two");

  EXPECT_EQ(content_of(path), "one\ntwo\n");
}

TEST(LineFile, OpensANewFileWhenItsOwnWasRemoved) {
  const TempDir directory;
  const std::string path = directory.path() + "/log";
  LineFile file(path);
  write_line(&file, "one");
  ASSERT_EQ(::unlink(path.c_str()), 0);

  write_line(&file, "two");

  EXPECT_EQ(content_of(path), "two\n");
}

TEST(LineFile, OpensANewFileWhenTheFolderWasRemoved) {
  const TempDir directory;
  const std::string folder = directory.path() + "/folder", path = folder + "/log";
  LineFile file(path);
  write_line(&file, "one");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::rmdir(folder.c_str()), 0);

  write_line(&file, "two");

  EXPECT_EQ(content_of(path), "two\n");
}

TEST(LineFile, LeavesARotatedFileAloneAndGoesOnUnderTheName) {
  const TempDir directory;
  const std::string path = directory.path() + "/log";
  LineFile file(path);
  write_line(&file, "one");
  ASSERT_EQ(std::rename(path.c_str(), (path + ".1").c_str()), 0);

  write_line(&file, "two");

  EXPECT_EQ(content_of(path + ".1"), "one\n");
  EXPECT_EQ(content_of(path), "two\n");
}

TEST(LineFile, AddsToAFileThatWasPutInItsPlaceAndEmptiesNothing) {
  const TempDir directory;
  const std::string path = directory.path() + "/log";
  LineFile file(path);
  write_line(&file, "one");
  std::ofstream(path + ".new") << "theirs\n";
  ASSERT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);

  write_line(&file, "two");

  EXPECT_EQ(content_of(path), "theirs\ntwo\n");
}

TEST(LineFile, BeginsEveryNewFileWithItsFirstLine) {
  const TempDir directory;
  const std::string path = directory.path() + "/trace";
  LineFile file(path, "[");
  write_line(&file, "{},");
  EXPECT_EQ(content_of(path), "[\n{},\n");
  ASSERT_EQ(::unlink(path.c_str()), 0);

  write_line(&file, "{\"name\":1},");

  EXPECT_EQ(content_of(path), "[\n{\"name\":1},\n");
}

}  // namespace
}  // namespace lockstep::dumper
