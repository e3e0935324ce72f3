// What each table of the profiler has, by NCCL's headers of the release that brought it.
#include "lockstep/profiler_versions.h"

#include <gtest/gtest.h>

namespace lockstep::abi {
namespace {

TEST(ProfilerVersions, HaveTheKindsOfTheirTime) {
  const uint32_t kinds[] = {0x3f, 0x3f, 0xff, 0xff, 0xfff, 0x7fff, 0xffff};
  for (int version = 1; version <= kNewestTable; ++version)
    EXPECT_EQ(table_version(version).kinds, kinds[version - 1]) << version;
  EXPECT_EQ(kNewestTable, 7);
}

TEST(ProfilerVersions, HaveTheStatesOfTheirTime) {
  const unsigned last[] = {18, 18, 18, 22, 24, 30, 31};
  for (int version = 1; version <= kNewestTable; ++version)
    EXPECT_EQ(table_version(version).states_end, last[version - 1] + 1) << version;
}

TEST(ProfilerVersions, LeaveOutWhatMeansSomethingElseInRccl) {
  EXPECT_EQ(known_kinds(Library::Nccl, 7), 0xffffu);
  EXPECT_EQ(known_kinds(Library::Rccl, 7), 0x7fffu);
  EXPECT_EQ(known_kinds(Library::Rccl, 6), 0x7fffu);
  EXPECT_EQ(known_kinds(Library::Rccl, 4), 0x00ffu);
}

TEST(ProfilerVersions, NameRcclsOwnKindAndState) {
  EXPECT_STREQ(rccl_kind_name(15), "ProxyDiag");
  EXPECT_STREQ(rccl_state_name(31), "ProxyDiagUpdate");
  EXPECT_EQ(rccl_kind_name(3), nullptr);
  EXPECT_EQ(rccl_state_name(19), nullptr);
}

}  // namespace
}  // namespace lockstep::abi
