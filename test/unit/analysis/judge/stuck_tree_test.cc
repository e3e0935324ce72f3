// An all-reduce of four hosts of one rank each that goes up and down one tree: 2 and 3 are children of 1, and 1 is the
// root 0's. One such ended; the next stands still.
#include "analysis/judge/stuck_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/join/step_times.h"
#include "lockstep/record_shape.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kRanks = 4;
constexpr Text kHost = 10;  // of rank 0; that of the next is the next

struct Tree {
  RunTables run;
  Stall stall;
  std::vector<OpenTransportRow> open;

  Tree() {
    for (uint32_t m = 0; m < 2; ++m) {
      MatchRow& match = run.matches.emplace_back();
      match.communicator = 0;
      match.first_arrival = static_cast<uint32_t>(run.arrivals.size());
      match.arrivals = match.expected = kRanks;
      for (int32_t rank = 0; rank < kRanks; ++rank) {
        run.processes.emplace_back().host = kHost + static_cast<Text>(rank);
        OperationRow& row = run.operations.emplace_back();
        row.process = static_cast<uint32_t>(rank);
        row.rank = rank;
        row.state = m == 0 ? OpState::Done : OpState::InFlight;
        run.arrivals.emplace_back().operation = static_cast<uint32_t>(run.operations.size() - 1);
      }
    }
    run.processes.resize(kRanks);
    stall.communicator = 0;
    stall.operation = kRanks;
    add_edge(2, 1, 10 * kUs, 40 * kUs);
    add_edge(3, 1, 12 * kUs, 42 * kUs);
    add_edge(1, 0, 20 * kUs, 30 * kUs);
  }

  // What is through of the one that stands still.
  Tree& through(int32_t from, int32_t to) {
    const auto is = [=](const OpenTransportRow& row) {
      return (row.is_send != 0 ? row.rank : row.peer) == from &&
             (row.is_send != 0 ? row.peer : row.rank) == to;
    };
    open.erase(std::remove_if(open.begin(), open.end(), is), open.end());
    return *this;
  }
  Tree& of_steps(uint32_t planned) {
    for (OpenTransportRow& row : open) row.steps_planned = planned;
    return *this;
  }
  OpenTransportRow& row(bool is_send, int32_t rank, int32_t peer) {
    return *std::find_if(open.begin(), open.end(), [=](const OpenTransportRow& one) {
      return (one.is_send != 0) == is_send && one.rank == rank && one.peer == peer;
    });
  }
  std::set<Text> hosts() { return find().hosts; }
  StuckTree find() {
    std::vector<const OpenTransportRow*> rows;
    for (const OpenTransportRow& one : open) rows.push_back(&one);
    return find_stuck_tree(run, stall, rows);
  }

 private:
  void add_edge(int32_t child, int32_t parent, int64_t up_ns, int64_t down_ns) {
    add(child, parent, up_ns);
    add(parent, child, down_ns);
    std::sort(
        run.channel_ends.begin(), run.channel_ends.end(),
        [](const ChannelEndRow& a, const ChannelEndRow& b) { return a.operation < b.operation; });
  }
  void add(int32_t from, int32_t to, int64_t done_ns) {
    for (const bool is_send : {true, false}) {
      const int32_t rank = is_send ? from : to, peer = is_send ? to : from;
      ChannelEndRow& end = run.channel_ends.emplace_back();
      end.operation = static_cast<uint32_t>(rank);
      end.peer = static_cast<uint32_t>(peer) & 0xffffffu;
      end.is_send = is_send ? 1 : 0;
      end.done_ns = done_ns;
      OpenTransportRow& row = open.emplace_back();
      row.rank = rank;
      row.peer = peer;
      row.is_send = is_send ? 1 : 0;
      row.steps_planned = 1;
    }
  }
};

TEST(StuckTree, IsTheHostThatGotAllFromItsChildrenAndSendsNothingUp) {
  EXPECT_EQ(Tree().through(2, 1).through(3, 1).hosts(), std::set<Text>{kHost + 1});
}

TEST(StuckTree, IsALeafThatSendsNothingOfWhatWouldFitIntoBuffers) {
  EXPECT_EQ(Tree().through(2, 1).hosts(), std::set<Text>{kHost + 3});
  EXPECT_EQ(Tree().through(2, 1).of_steps(8).hosts(), std::set<Text>{kHost + 3});
  EXPECT_EQ(Tree().through(2, 1).of_steps(9).hosts(), std::set<Text>{});
}

TEST(StuckTree, IsTheRootThatSendsNothingDown) {
  EXPECT_EQ(Tree().through(2, 1).through(3, 1).through(1, 0).hosts(), std::set<Text>{kHost});
}

TEST(StuckTree, IsTheHostThatSendsToOneOfItsChildrenAlone) {
  Tree tree;
  tree.through(2, 1).through(3, 1).through(1, 0).through(0, 1).through(1, 2);
  EXPECT_EQ(tree.hosts(), std::set<Text>{kHost + 1});
  EXPECT_FALSE(tree.find().or_next);
}

TEST(StuckTree, MayBeTheNextHostWhereWhatIsSentDoesNotFitIntoBuffers) {
  const StuckTree stuck = Tree().through(2, 1).through(3, 1).of_steps(64).find();
  EXPECT_EQ(stuck.hosts, std::set<Text>{kHost + 1});
  EXPECT_TRUE(stuck.or_next);
}

// By steps: 2 and 3 wait for room at 1, whose GPU takes nothing of what came from them, nor fills what it sends.
TEST(StuckTree, IsByItsStepsWhoseGpuTakesNothing) {
  Tree tree;
  tree.of_steps(64);
  for (OpenTransportRow& row : tree.open)
    row.last_state = row.is_send != 0 ? uint8_t{kSendGpuWait} : uint8_t{kRecvWait};
  for (const int32_t leaf : {2, 3}) {
    tree.row(true, leaf, 1).last_state = kSendPeerWait;
    tree.row(false, 1, leaf).last_state = kRecvGpuWait;
  }
  EXPECT_EQ(tree.hosts(), std::set<Text>{kHost + 1});
  EXPECT_FALSE(tree.find().or_next);
  // Data of 3 is missing at 1, which has room for it.
  tree.row(true, 3, 1).last_state = kSendGpuWait;
  tree.row(false, 1, 3).last_state = kRecvWait;
  EXPECT_EQ(tree.hosts(), std::set<Text>{kHost + 3});
}

// 1 has passed on less than it got, and waits for more.
TEST(StuckTree, IsByItsStepsWhoGotMoreThanItPassedOn) {
  Tree tree;
  tree.of_steps(64);
  for (OpenTransportRow& row : tree.open) {
    row.last_state = row.is_send != 0 ? uint8_t{kSendGpuWait} : uint8_t{kRecvWait};
    row.steps_done = 32;
  }
  for (const int32_t leaf : {2, 3}) {
    tree.row(true, leaf, 1).last_state = kSendPeerWait;
    tree.row(false, 1, leaf).steps_done = 33;
  }
  EXPECT_EQ(tree.hosts(), std::set<Text>{kHost + 1});
  tree.row(false, 1, 3).steps_done = 32;
  EXPECT_EQ(tree.hosts(), std::set<Text>{});
}

TEST(StuckTree, IsNotKnownWhereNoneSuchEnded) {
  Tree tree;
  tree.run.operations[2].state = OpState::InFlight;
  EXPECT_EQ(tree.through(2, 1).through(3, 1).hosts(), std::set<Text>{});
}

}  // namespace
}  // namespace lockstep::analysis
