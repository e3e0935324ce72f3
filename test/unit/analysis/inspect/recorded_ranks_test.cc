#include "analysis/inspect/recorded_ranks.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

dumper::CommFacts member(uint64_t id, const char* name, uint32_t rank, uint32_t ranks) {
  dumper::CommFacts facts;
  facts.id = id;
  facts.name = name;
  facts.rank = rank;
  facts.ranks = ranks;
  return facts;
}

// A process for each member.
RecordedRanks recorded(const std::vector<dumper::CommFacts>& members) {
  RecordedRanks ranks;
  for (const dumper::CommFacts& member : members) ranks.add_process({{1, member}});
  return ranks;
}

using Sentences = std::vector<std::string>;

TEST(RecordedRanks, SaysNothingOfACommunicatorWithAllOfItsRanks) {
  const RecordedRanks ranks = recorded(
      {member(0x1f, "world", 0, 3), member(0x1f, "world", 1, 3), member(0x1f, "world", 2, 3)});
  EXPECT_EQ(ranks.missing(), Sentences());
}

TEST(RecordedRanks, NamesWhatIsMissingAtEitherEndAndBetween) {
  const RecordedRanks ranks = recorded(
      {member(0x1f, "world", 1, 8), member(0x1f, "world", 2, 8), member(0x1f, "world", 5, 8)});
  EXPECT_EQ(ranks.missing(), Sentences({"communicator world (0x1f) of 8 ranks: nothing was "
                                        "recorded of ranks 0, 3-4, 6-7"}));
}

TEST(RecordedRanks, TellsCommunicatorsApartByTheirNumberNotByTheirName) {
  const RecordedRanks ranks = recorded({member(1, "tp", 0, 2), member(2, "tp", 1, 2)});
  EXPECT_EQ(ranks.missing(),
            Sentences({"communicator tp (0x1) of 2 ranks: nothing was recorded of rank 1",
                       "communicator tp (0x2) of 2 ranks: nothing was recorded of rank 0"}));
}

TEST(RecordedRanks, CannotTellWhatTablesWithoutTheNumberOfRanksLack) {
  EXPECT_EQ(recorded({member(1, "", 0, 0)}).missing(), Sentences());
}

TEST(RecordedRanks, CountsGroupsOfProcessesThatNeverMeet) {
  RecordedRanks ranks;
  ranks.add_process({{1, member(1, "tp", 0, 2)}, {2, member(3, "dp", 0, 2)}});
  ranks.add_process({{1, member(2, "tp", 0, 2)}, {2, member(4, "alone", 0, 1)}});
  EXPECT_EQ(ranks.groups(), 2u);
  ranks.add_process({{1, member(2, "tp", 1, 2)}, {2, member(3, "dp", 1, 2)}});
  EXPECT_EQ(ranks.groups(), 1u);
}

}  // namespace
}  // namespace lockstep::analysis
