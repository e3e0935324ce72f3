#include "base/system.h"

#include <gtest/gtest.h>

#include "test/unit/temp_dir.h"

namespace lockstep {
namespace {

TEST(ReadSmallFile, GivesAllOfItOrTheReason) {
  const TempDir dir;
  write_text(dir / "five", "12345");

  EXPECT_EQ(read_small_file(dir / "five", 5).value(), "12345");
  EXPECT_EQ(read_small_file(dir / "five", 4).message(), "it is larger than 4 bytes");
  EXPECT_EQ(read_small_file(dir / "none", 4).message(), "No such file or directory");
  EXPECT_EQ(read_small_file("/dev/zero", 4).message(), "it is not a file");
}

TEST(ReadSmallFile, ReadsFilesOfProcThatHaveNoSize) {
  EXPECT_EQ(read_small_file("/proc/sys/kernel/random/boot_id", 64).value().size(), 37u);
}

TEST(UtcText, IsTheInstantInUtc) {
  EXPECT_EQ(utc_text("%Y-%m-%dT%H:%M:%SZ", 1'700'000'000'999'999'999), "2023-11-14T22:13:20Z");
}

}  // namespace
}  // namespace lockstep
