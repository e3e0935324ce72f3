// The stacks of all processes put together, as STAT does it: a prefix tree whose nodes carry who is
// there, and classes of threads that stand in the same place, each with one to look at as its
// example. Main threads and each other kind of thread are merged by themselves. Functions make the
// tree, lines do not: ranks in one loop are in one place. Plain data, made once from the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/places/members.h"
#include "live/places/stack_row.h"

namespace lockstep::live {

struct StackNode {
  Frame frame;             // as its first thread had it
  uint32_t last_line = 0;  // the largest line seen; frame.line is the smallest
  Members members;
  std::vector<uint32_t> children;  // of StackTree::nodes
};

// Its frame, with the lines of all that are in it.
std::string in_words(const StackNode& node);

// Threads that stand in the same place, and did in every sample; of threads that moved, what their
// samples have in common.
struct StackClass {
  Members members;
  size_t threads = 0;
  bool moved = false;
  std::vector<Frame> frames;  // of the example, outermost first; empty: not read
  std::string unread;         // why not
  std::string state;          // from /proc, of the example
  // What its members do in NCCL, where that is known: each sentence once, with its members.
  struct Operation {
    std::string words;
    Members members;
    int64_t called_ago_ns = 0;  // the longest
  };
  std::vector<Operation> operations;
  uint32_t example_row = 0;
  pid_t example_tid = 0;
};

// "main", or the thread's name without a number at its end: "NCCL Progress 3" and "NCCL Progress 0" do
// the same work.
std::string kind_of(const StackRow& row, const ThreadStacks& thread);

struct StackTree {
  std::string kind;
  std::vector<StackNode> nodes;
  std::vector<uint32_t> roots;
  std::vector<StackClass> classes;  // those of few members first
};

// The main threads' first.
std::vector<StackTree> merge(const std::vector<StackRow>& rows);

// Where somebody looks first: the innermost frame of Python code, else the innermost that is not the C
// library's, the kernel's or C++'s own. Null when there is none.
const Frame* telling_frame(const std::vector<Frame>& frames);

}  // namespace lockstep::live
