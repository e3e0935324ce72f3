#include "analysis/inspect/compare_settings.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

dumper::ProcessFacts with(std::vector<dumper::OptionFact> options) {
  dumper::ProcessFacts facts;
  facts.options = std::move(options);
  return facts;
}

TEST(CompareSettings, FindsNothingWhereAllAgreeWhateverTheOrigin) {
  const auto a = with({{"events", "proxy", "default"}});
  const auto b = with({{"events", "proxy", "environment"}});

  EXPECT_TRUE(compare_settings({&a, &b}).empty());
}

TEST(CompareSettings, NamesTheOptionAndWhoHadWhichValueTheMostFrequentFirst) {
  const auto odd = with({{"events", "step", "environment"}, {"dir", "/r", "default"}});
  const auto usual = with({{"events", "proxy", "default"}, {"dir", "/r", "default"}});

  const auto differences = compare_settings({&odd, &usual, &usual});

  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].option, "events");
  ASSERT_EQ(differences[0].values.size(), 2u);
  EXPECT_EQ(differences[0].values[0].value, "proxy");
  EXPECT_EQ(differences[0].values[0].processes, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(differences[0].values[1].value, "step");
  EXPECT_EQ(differences[0].values[1].processes, std::vector<size_t>{0});
}

TEST(CompareSettings, LeavesOutProcessesWithoutFactsAndTheHostsOwnName) {
  const auto a = with({{"host", "n1", "environment"}});
  const auto b = with({{"host", "n2", "environment"}});
  const auto unknown = with({});

  EXPECT_TRUE(compare_settings({&a, nullptr, &b, &unknown}).empty());
}

}  // namespace
}  // namespace lockstep::analysis
