// Who calls the collectives of layers that are alike once less than ever before.
#include "analysis/waits/odd_runs.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::analysis {
namespace {

// One process for each text, which calls a collective on a communicator of its own for each letter, in this order.
std::vector<bool> odd_of(const std::vector<std::string>& processes) {
  RunTables run;
  const Text func = run.strings.intern("AllReduce");
  for (const std::string& calls : processes) {
    const auto process = static_cast<uint32_t>(run.processes.size());
    run.processes.emplace_back();
    uint32_t positions[3] = {};
    for (const char call : calls) {
      OperationRow& row = run.operations.emplace_back();
      row.process = process;
      row.communicator = static_cast<uint32_t>(call - 'a');
      row.func = func;
      row.position = positions[row.communicator]++;
    }
  }
  return last_runs_odd(run);
}
std::string times(int count, const std::string& calls) {
  std::string all;
  for (int i = 0; i < count; ++i) all += calls;
  return all;
}

TEST(OddRuns, AreOfWhoLeftOneCallOutOrMadeOneMore) {
  const std::string step = times(16, "a") + "b", less = times(15, "a") + "b",
                    more = times(17, "a") + "b";
  EXPECT_EQ(odd_of({times(8, step), times(6, step) + less + step, times(6, step) + more}),
            (std::vector<bool>{false, true, true}));
}

// The last may not be all yet.
TEST(OddRuns, AreNotOfWhoIsStillAtIt) {
  EXPECT_EQ(odd_of({times(6, "aaaab") + "aa"}), std::vector<bool>{false});
}

TEST(OddRuns, AreToldByThoseBetweenTheSameTwoOthers) {
  EXPECT_EQ(odd_of({times(6, "aabaaac") + "aaabaaac" + "aabaaac"}), std::vector<bool>{true});
  EXPECT_EQ(odd_of({times(8, "aabaaac")}), std::vector<bool>{false});
}

TEST(OddRuns, AreNotToldOfFewStepsNorWhereTheNumberVaries) {
  EXPECT_EQ(odd_of({times(3, "aaaab") + "aaab" + "aaaab"}), std::vector<bool>{false});
  EXPECT_EQ(odd_of({times(2, "aabaaabaaaab") + "aaaaaab" + "aab"}), std::vector<bool>{false});
}

}  // namespace
}  // namespace lockstep::analysis
