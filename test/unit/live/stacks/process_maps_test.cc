#include "live/stacks/process_maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lockstep::live {
namespace {

TEST(ProcessMaps, ReadsWhichFileLiesWhere) {
  const auto maps = parse_maps(
      "00400000-0041f000 r--p 00001000 fe:00 12345      /usr/bin/python3 (deleted)\n"
      "7f00-8f00 rw-p 00000000 00:00 0 \n"
      "7fff0000-7fff1000 r-xp 00000000 00:00 0          [vdso]\n");
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_EQ(maps[0].start, 0x400000U);
  EXPECT_EQ(maps[0].end, 0x41f000U);
  EXPECT_EQ(maps[0].offset, 0x1000U);
  EXPECT_EQ(maps[0].path, "/usr/bin/python3 (deleted)");
  EXPECT_EQ(maps[1].path, "");
  EXPECT_EQ(maps[2].path, "[vdso]");
}

TEST(ProcessMaps, LeavesOutLinesOfAnotherShape) {
  EXPECT_TRUE(parse_maps("\nx\n-\n1-2\n2-1 r--p 0 0:0 0\ng-h r--p 0 0:0 0 /x\n").empty());
}

TEST(ProcessMaps, HasTheReasonWhereThereIsNoSuchProcess) {
  EXPECT_FALSE(read_maps(4'194'304).ok());
  EXPECT_TRUE(read_maps(static_cast<uint32_t>(getpid())).ok());
}

}  // namespace
}  // namespace lockstep::live
