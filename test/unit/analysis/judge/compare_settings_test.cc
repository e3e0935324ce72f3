#include "analysis/judge/compare_settings.h"

#include <gtest/gtest.h>

#include "lockstep/config.h"

namespace lockstep::analysis {
namespace {

TEST(CompareSettings, FindsNothingWhereAllAgree) {
  EXPECT_TRUE(compare_settings({{0, "events", "proxy"}, {1, "events", "proxy"}}).empty());
}

TEST(CompareSettings, NamesTheOptionAndWhoHadWhichValueTheMostFrequentFirst) {
  const auto differences = compare_settings({{0, "events", "step"},
                                             {0, "dir", "/r"},
                                             {1, "events", "proxy"},
                                             {1, "dir", "/r"},
                                             {2, "events", "proxy"},
                                             {2, "dir", "/r"}});

  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].option, "events");
  ASSERT_EQ(differences[0].values.size(), 2u);
  EXPECT_EQ(differences[0].values[0].value, "proxy");
  EXPECT_EQ(differences[0].values[0].processes, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(differences[0].values[1].value, "step");
  EXPECT_EQ(differences[0].values[1].processes, std::vector<size_t>{0});
}

TEST(CompareSettings, LeavesOutProcessesWithoutFactsAndWhatIsEachHostsOwn) {
  EXPECT_TRUE(compare_settings({{0, "host", "n1"},
                                {0, "clock_pod", "east"},
                                {2, "host", "n2"},
                                {2, "clock_pod", "west"}})
                  .empty());
}

TEST(CompareSettings, BelievesEqualDigestsOfAllProcesses) {
  EXPECT_TRUE(compare_settings({{0, "events", "step"},
                                {0, kSettingsDigest, "00ff"},
                                {1, "events", "proxy"},
                                {1, kSettingsDigest, "00ff"}})
                  .empty());
}

TEST(CompareSettings, LooksAtOptionsWhereADigestIsMissing) {
  const auto differences = compare_settings(
      {{0, "events", "step"}, {0, kSettingsDigest, "00ff"}, {1, "events", "proxy"}});

  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].option, "events");
}

TEST(CompareSettings, NamesTheDigestWhereNoOptionExplainsIt) {
  const std::vector<Setting> settings = {{0, "events", "step"},
                                         {0, kSettingsDigest, "00ff"},
                                         {1, "events", "step"},
                                         {1, "new_option", "1"},
                                         {1, kSettingsDigest, "00fe"}};
  const auto differences = compare_settings(settings);

  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].option, kSettingsDigest);
}

TEST(CompareSettings, NamesTheOptionAndNotTheDigestThatFollowsFromIt) {
  const auto differences = compare_settings({{0, "events", "step"},
                                             {0, kSettingsDigest, "00ff"},
                                             {1, "events", "coll"},
                                             {1, kSettingsDigest, "00fe"}});

  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].option, "events");
}

}  // namespace
}  // namespace lockstep::analysis
