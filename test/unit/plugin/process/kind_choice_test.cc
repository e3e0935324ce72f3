// Which kinds are asked for, by library, version and what the user said.
#include "plugin/process/kind_choice.h"

#include <gtest/gtest.h>

namespace lockstep::plugin {
namespace {

constexpr uint32_t kProxy = 0x7f4f, kChannels = abi::kKernelCh;

HostLibrary nccl(uint32_t version) { return {abi::Library::Nccl, version, "libnccl.so.2"}; }
KindRequest by_default(int table) { return {kProxy, false, 0, table}; }

TEST(KindChoice, LeavesOutKernelChannelsWhereTheyAreDearAndSaysSo) {
  for (const uint32_t version : {23100u, 23102u, 23200u, 23202u}) {
    const KindChoice choice = choose_kinds(by_default(7), nccl(version));
    EXPECT_EQ(choice.wanted, kProxy & ~kChannels) << version;
    ASSERT_EQ(choice.notes.size(), 1u) << version;
    EXPECT_NE(choice.notes[0].find("are not recorded"), std::string::npos) << choice.notes[0];
  }
}

TEST(KindChoice, RecordsKernelChannelsInEveryOtherVersion) {
  for (const uint32_t version : {0u, 22703u, 23007u, 23203u, 23206u}) {
    const KindChoice choice = choose_kinds(by_default(7), nccl(version));
    EXPECT_EQ(choice.wanted, kProxy) << version;
    EXPECT_TRUE(choice.notes.empty()) << version;
  }
}

TEST(KindChoice, GivesTheUserWhatTheUserAskedFor) {
  KindRequest request = by_default(7);
  request.given = true;
  const KindChoice choice = choose_kinds(request, nccl(23102));
  EXPECT_EQ(choice.wanted, kProxy);
  EXPECT_TRUE(choice.notes.empty());
}

TEST(KindChoice, RecordsKernelChannelsForTheFeedsThatNeedThemAndSaysWhatTheyCost) {
  KindRequest request = by_default(7);
  request.needed = kChannels;
  const KindChoice choice = choose_kinds(request, nccl(23102));
  EXPECT_EQ(choice.wanted, kProxy);
  ASSERT_EQ(choice.notes.size(), 1u);
  EXPECT_NE(choice.notes[0].find("4 to 13 %"), std::string::npos) << choice.notes[0];
}

TEST(KindChoice, SaysNothingOfKernelChannelsThatNobodyWouldHaveRecorded) {
  KindRequest request = by_default(7);
  request.events = abi::kCollApi;
  const KindChoice choice = choose_kinds(request, nccl(23102));
  EXPECT_EQ(choice.wanted, uint32_t{abi::kCollApi});
  EXPECT_TRUE(choice.notes.empty());
}

TEST(KindChoice, LeavesRcclItsKernelChannelsWhateverItsVersion) {
  const KindChoice choice =
      choose_kinds(by_default(7), {abi::Library::Rccl, 23102, "librccl.so.1"});
  EXPECT_EQ(choice.wanted, kProxy);
  EXPECT_EQ(choice.known, 0x7fffu);
}

TEST(KindChoice, KnowsNoMoreKindsThanTheTableHas) {
  EXPECT_EQ(choose_kinds(by_default(5), nccl(22803)).known, 0x0fffu);
  EXPECT_EQ(choose_kinds(by_default(7), nccl(23203)).known, 0xffffu);
}

TEST(KindChoice, WritesVersionsAsPeopleDo) {
  EXPECT_EQ(version_text(23102), "2.31.2");
  EXPECT_EQ(version_text(22703), "2.27.3");
}

}  // namespace
}  // namespace lockstep::plugin
