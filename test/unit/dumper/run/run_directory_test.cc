#include "dumper/run/run_directory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lockstep/trace_format.h"
#include "test/unit/temp_dir.h"

namespace lockstep::dumper {
namespace {

void write_header(const std::string& path, uint64_t process_uid) {
  SegmentHeader header{};
  std::memcpy(header.magic, kSegmentMagic, sizeof header.magic);
  header.version = kFormatVersion;
  header.process_uid = process_uid;
  header.checksum = XXH3_64bits(&header, offsetof(SegmentHeader, checksum));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(&header), sizeof header);
}

TEST(RunDirectory, SaysThatASegmentHoldsNothingButItsHeader) {
  const TempDir dir;
  write_header(dir / "node.7.0.lks", 1234);
  const auto run = RunDirectory::open(dir / "");
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.message().find("node.7.0.lks: it holds nothing but its header"), std::string::npos)
      << run.message();
}

TEST(RunDirectory, SaysThatAHeaderNamesNoProcess) {
  const TempDir dir;
  write_header(dir / "node.8.0.lks", 0);
  const auto run = RunDirectory::open(dir / "");
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.message().find("node.8.0.lks: 64 bytes at offset 0: the header names no process"),
            std::string::npos)
      << run.message();
}

}  // namespace
}  // namespace lockstep::dumper
