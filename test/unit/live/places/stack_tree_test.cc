#include "live/places/stack_tree.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

Frame frame(const std::string& function, uint32_t line = 10) {
  return {function, "train.cc", line, "train", 0x100};
}

std::vector<Frame> stack(const std::vector<std::string>& functions) {
  std::vector<Frame> frames;
  for (const std::string& function : functions) frames.push_back(frame(function));
  return frames;
}

ThreadStacks thread(pid_t tid, const std::string& name, std::vector<std::vector<Frame>> samples) {
  ThreadStacks made;
  made.state.tid = tid;
  made.state.name = name;
  made.state.state = 'S';
  made.samples = std::move(samples);
  return made;
}

// A process of the rank's number whose main thread has these samples.
StackRow rank(int64_t number, std::vector<std::vector<Frame>> samples) {
  StackRow row;
  row.host = "node0";
  row.standing.rank = number;
  row.stacks.pid = static_cast<pid_t>(1000 + number);
  row.stacks.threads.push_back(thread(row.stacks.pid, "python", std::move(samples)));
  return row;
}

const StackNode& child(const StackTree& tree, const StackNode& node, size_t n) {
  return tree.nodes[node.children[n]];
}

TEST(StackTree, HasEachCommonCallerOnceWithAllItsRanks) {
  const auto trees =
      merge({rank(0, {stack({"main", "step", "wait"})}), rank(1, {stack({"main", "step", "wait"})}),
             rank(2, {stack({"main", "step", "read"})})});

  ASSERT_EQ(trees.size(), 1u);
  const StackTree& tree = trees[0];
  EXPECT_EQ(tree.kind, "main");
  ASSERT_EQ(tree.roots.size(), 1u);
  const StackNode& main = tree.nodes[tree.roots[0]];
  EXPECT_EQ(main.members, (Members{0, 1, 2}));
  ASSERT_EQ(main.children.size(), 1u);
  const StackNode& step = child(tree, main, 0);
  ASSERT_EQ(step.children.size(), 2u);
  EXPECT_EQ(child(tree, step, 0).frame.function, "wait");
  EXPECT_EQ(child(tree, step, 0).members, (Members{0, 1}));
  EXPECT_EQ(child(tree, step, 1).members, (Members{2}));
}

TEST(StackTree, PutsClassesOfFewRanksFirstEachWithAnExample) {
  const auto trees = merge({rank(0, {stack({"main", "wait"})}), rank(1, {stack({"main", "wait"})}),
                            rank(2, {stack({"main", "read"})})});

  const auto& classes = trees[0].classes;
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].members, (Members{2}));
  EXPECT_EQ(classes[0].frames.back().function, "read");
  EXPECT_EQ(classes[1].members, (Members{0, 1}));
  EXPECT_EQ(classes[1].example_row, 0u);
  EXPECT_EQ(classes[1].example_tid, 1000);
}

TEST(StackTree, TakesLinesOfOneFunctionForOnePlace) {
  const auto trees = merge({rank(0, {{frame("main"), frame("loop", 20)}}),
                            rank(1, {{frame("main"), frame("loop", 24)}})});

  ASSERT_EQ(trees[0].classes.size(), 1u);
  EXPECT_FALSE(trees[0].classes[0].moved);
  const StackNode& loop = child(trees[0], trees[0].nodes[trees[0].roots[0]], 0);
  EXPECT_EQ(loop.frame.line, 20u);
  EXPECT_EQ(loop.last_line, 24u);
}

TEST(StackTree, SaysOfThreadsThatMoveWhereTheirSamplesMeet) {
  const auto trees = merge({rank(0, {stack({"main", "step", "a"}), stack({"main", "step", "b"})}),
                            rank(1, {stack({"main", "step", "c"}), stack({"main", "step", "d"})}),
                            rank(2, {stack({"main", "step"}), stack({"main", "step"})})});

  const auto& classes = trees[0].classes;
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].members, (Members{2}));
  EXPECT_FALSE(classes[0].moved);
  EXPECT_EQ(classes[1].members, (Members{0, 1}));
  EXPECT_TRUE(classes[1].moved);
  EXPECT_EQ(classes[1].frames.back().function, "step");
}

TEST(StackTree, MergesOtherThreadsByTheirNameWithoutANumber) {
  std::vector<StackRow> rows = {rank(0, {stack({"main"})})};
  rows[0].stacks.threads.push_back(thread(2001, "NCCL Progress 0", {stack({"proxy"})}));
  rows[0].stacks.threads.push_back(thread(2002, "NCCL Progress12", {stack({"proxy"})}));
  rows[0].stacks.threads.push_back(thread(2003, "pin", {stack({"proxy"})}));

  const auto trees = merge(rows);
  ASSERT_EQ(trees.size(), 3u);
  EXPECT_EQ(trees[0].kind, "main");
  EXPECT_EQ(trees[1].kind, "NCCL Progress");
  ASSERT_EQ(trees[1].classes.size(), 1u);
  EXPECT_EQ(trees[1].classes[0].threads, 2u);
  EXPECT_EQ(trees[1].classes[0].members, (Members{0}));
  EXPECT_EQ(trees[2].kind, "pin");
}

TEST(StackTree, TellsThreadsWithoutFramesApartByWhatTheKernelSays) {
  std::vector<StackRow> rows = {rank(0, {}), rank(1, {}), rank(2, {})};
  for (StackRow& row : rows) row.stacks.threads[0].unread = "no right";
  rows[2].stacks.threads[0].state.syscall = "futex";

  const auto trees = merge(rows);
  ASSERT_EQ(trees[0].classes.size(), 2u);
  EXPECT_EQ(trees[0].classes[0].members, (Members{2}));
  EXPECT_EQ(trees[0].classes[0].state, "sleeping in futex");
  EXPECT_EQ(trees[0].classes[1].members, (Members{0, 1}));
  EXPECT_TRUE(trees[0].roots.empty());
}

TEST(StackTree, JoinsOperationsWithWhoIsInThem) {
  std::vector<StackRow> rows;
  for (int64_t number = 0; number < 3; ++number) rows.push_back(rank(number, {stack({"main"})}));
  for (StackRow& row : rows) row.standing.operation = "in AllReduce #7 on world";
  rows[1].standing.operation = "in Broadcast #1 on world";
  rows[0].standing.called_ago_ns = 5;
  rows[2].standing.called_ago_ns = 9;

  const auto trees = merge(rows);
  const auto& operations = trees[0].classes[0].operations;
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].words, "in AllReduce #7 on world");
  EXPECT_EQ(operations[0].members, (Members{0, 2}));
  EXPECT_EQ(operations[0].called_ago_ns, 9);
  EXPECT_EQ(operations[1].members, (Members{1}));
}

TEST(TellingFrame, IsTheInnermostThatIsNoPlumbing) {
  const Frame libc = {"clock_nanosleep", "clock_nanosleep.c", 48, "libc.so.6", 1};
  EXPECT_EQ(telling_frame({frame("main"), frame("work"), libc})->function, "work");
  EXPECT_EQ(telling_frame({libc}), nullptr);
}

TEST(TellingFrame, IsThePythonFunctionThatCalledC) {
  const Frame python = {"Loader.read", "loader.py", 12, kPythonModule, 0};
  EXPECT_EQ(telling_frame({frame("main"), python, frame("ffi_call")})->function, "Loader.read");
}

}  // namespace
}  // namespace lockstep::live
