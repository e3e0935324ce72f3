// The replay: what a run would gain without somebody's lateness, from tables laid out by hand.
#include "analysis/whatif/what_if.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// Every rank is a process of its own, and no operation sets up a connection.
class Played {
 public:
  explicit Played(uint32_t ranks) {
    run_.processes.resize(ranks);
    CommunicatorRow world;
    world.nranks = static_cast<int32_t>(ranks);
    world.members = ranks;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      MemberRow& member = run_.members.emplace_back();
      member.process = rank;
      member.rank = static_cast<int32_t>(rank);
    }
    run_.communicators.push_back(world);
  }

  struct Part {
    uint32_t rank;
    int64_t start_ns, end_ns;
    uint64_t group = 0;
  };
  void operation(const std::vector<Part>& parts) { matches_.push_back(parts); }

  // Afterwards the caller says what of each own segment is excess.
  void finish() {
    for (uint32_t process = 0; process < run_.processes.size(); ++process) {
      for (uint32_t match = 0; match < matches_.size(); ++match) {
        for (const Part& part : matches_[match]) {
          if (part.rank == process) add_operation(part, match);
        }
      }
    }
    for (uint32_t match = 0; match < matches_.size(); ++match) add_match(match);
    own = find_own_segments(run_);
    excess_ns.assign(run_.arrivals.size(), 0);
  }
  // Row of `arrivals`.
  uint32_t arrival(uint32_t match, uint32_t rank) const {
    uint32_t row = run_.matches[match].first_arrival;
    while (run_.arrivals[row].rank != static_cast<int32_t>(rank)) ++row;
    return row;
  }
  int64_t gain_ns(uint32_t rank) const {
    std::vector<uint8_t> cured(own.actors.size());
    cured[rank] = 1;
    return WhatIf(run_, own, excess_ns).gain_ns(cured);
  }

  OwnSegments own;
  std::vector<int64_t> excess_ns;

 private:
  void add_operation(const Part& part, uint32_t match) {
    OperationRow row;
    row.process = part.rank;
    row.communicator = 0;
    row.rank = static_cast<int32_t>(part.rank);
    row.match = match;
    row.ordinal = match + 1;
    row.group_id = part.group;
    row.state = OpState::Done;
    row.finish_ns = part.end_ns;
    run_.operations.push_back(row);
  }
  void add_match(uint32_t number) {
    MatchRow match;
    match.communicator = 0;
    match.first_arrival = static_cast<uint32_t>(run_.arrivals.size());
    match.arrivals = match.expected = static_cast<uint32_t>(matches_[number].size());
    match.comparable = 1;
    for (const Part& part : matches_[number]) {
      ArrivalRow arrival;
      arrival.match = number;
      arrival.rank = static_cast<int32_t>(part.rank);
      arrival.arrival_ns = part.start_ns;
      arrival.finish_ns = part.end_ns;
      arrival.basis = ArrivalBasis::KernelStart;
      for (uint32_t o = 0; o < run_.operations.size(); ++o) {
        if (run_.operations[o].match == number && run_.operations[o].process == part.rank)
          arrival.operation = o;
      }
      run_.arrivals.push_back(arrival);
    }
    run_.matches.push_back(match);
  }

  RunTables run_;
  std::vector<std::vector<Part>> matches_;
};

constexpr int64_t kMs = 1'000'000;

TEST(WhatIf, GainsWhatALateRankCostsThoseWhoSendToItAndReceiveInOneKernel) {
  Played played(3);
  played.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 1 sends to rank 2, which is 100 ms late, and receives from rank 0, in one kernel.
  played.operation({{1, 10 * kMs, 120 * kMs, 7}, {2, 110 * kMs, 120 * kMs}});
  played.operation({{0, 10 * kMs, 12 * kMs}, {1, 10 * kMs, 120 * kMs, 7}});
  played.operation(
      {{0, 20 * kMs, 130 * kMs}, {1, 125 * kMs, 130 * kMs}, {2, 125 * kMs, 130 * kMs}});
  played.finish();
  played.excess_ns[played.arrival(1, 2)] = 100 * kMs;
  EXPECT_EQ(played.gain_ns(2), 100 * kMs);
  EXPECT_EQ(played.gain_ns(0), 0);
}

TEST(WhatIf, LetsAKernelWaitForWhoIsLastOnceTheLateOneIsCured) {
  Played played(3);
  played.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 0 is late too, by 40 ms: of the 100 ms rank 2 alone gains 60.
  played.operation({{1, 10 * kMs, 120 * kMs, 7}, {2, 110 * kMs, 120 * kMs}});
  played.operation({{0, 50 * kMs, 52 * kMs}, {1, 10 * kMs, 120 * kMs, 7}});
  played.operation(
      {{0, 60 * kMs, 130 * kMs}, {1, 125 * kMs, 130 * kMs}, {2, 125 * kMs, 130 * kMs}});
  played.finish();
  played.excess_ns[played.arrival(1, 2)] = 100 * kMs;
  EXPECT_EQ(played.gain_ns(2), 60 * kMs);
}

}  // namespace
}  // namespace lockstep::analysis
