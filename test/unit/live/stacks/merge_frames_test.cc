#include "live/stacks/merge_frames.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

using Names = std::vector<std::string>;

// Python frames by name; a star marks an entry.
std::vector<PythonFrame> python(const Names& names) {
  std::vector<PythonFrame> frames;
  for (const std::string& name : names) {
    const bool entry = name.front() == '*';
    frames.push_back({name.substr(entry ? 1 : 0), "x.py", 1, entry});
  }
  return frames;
}

Names merged(const Names& native, const Names& names, bool agree) {
  const std::vector<PythonFrame> frames = python(names);
  const MergedStack stack = merge_frames(native, frames);
  EXPECT_EQ(stack.agree, agree);
  Names out;
  for (const MergedFrame& frame : stack.frames)
    out.push_back(frame.python ? frames[frame.index].function + "()" : native[frame.index]);
  return out;
}

constexpr char kEval[] = "_PyEval_EvalFrameDefault";

TEST(MergeFrames, PutsEachRunInThePlaceOfItsEvaluator) {
  EXPECT_EQ(
      merged({"_start", "Py_RunMain", kEval, "list_sort", kEval, "time_sleep"},
             {"*main", "step", "*key"}, true),
      (Names{"_start", "Py_RunMain", "main()", "step()", "list_sort", "key()", "time_sleep"}));
}

TEST(MergeFrames, KnowsTheEvaluatorByTheNamesThatCompilersGiveItsParts) {
  EXPECT_TRUE(is_evaluator("_PyEval_EvalFrameDefault.cold"));
  EXPECT_TRUE(is_evaluator("_PyEval_EvalFrameDefault.localalias"));
  EXPECT_FALSE(is_evaluator("_PyEval_EvalFrameDefaultHook"));
  EXPECT_FALSE(is_evaluator("PyEval_EvalFrame"));
}

TEST(MergeFrames, LeavesNativeThreadsAsTheyAre) {
  EXPECT_EQ(merged({"clone", "start_thread", "poll"}, {}, true),
            (Names{"clone", "start_thread", "poll"}));
}

TEST(MergeFrames, PairsFromTheOuterEndWhereTheNativeStackIsComplete) {
  EXPECT_EQ(merged({"clone3", kEval, "call", kEval, "sleep"}, {"*run", "step"}, false),
            (Names{"clone3", "run()", "step()", "call", kEval, "sleep"}));
  EXPECT_EQ(merged({"clone3", kEval, "sleep"}, {"*run", "*callback"}, false),
            (Names{"clone3", "run()", "callback()", "sleep"}));
}

TEST(MergeFrames, PairsFromTheInnerEndWhereTheNativeStackEndsEarly) {
  EXPECT_EQ(merged({"call", kEval, "sleep"}, {"*main", "step", "*callback"}, false),
            (Names{"main()", "step()", "call", "callback()", "sleep"}));
  EXPECT_EQ(merged({"call", kEval, "call", kEval, "sleep"}, {"*main"}, false),
            (Names{"call", kEval, "call", "main()", "sleep"}));
}

TEST(MergeFrames, PutsPythonOutsideOfANativeStackWithoutEvaluators) {
  EXPECT_EQ(merged({"", "ncclAllReduce"}, {"*main"}, false),
            (Names{"main()", "", "ncclAllReduce"}));
  EXPECT_EQ(merged({}, {"*main", "step"}, false), (Names{"main()", "step()"}));
}

TEST(MergeFrames, TakesACutStackForARunOfItsOwn) {
  EXPECT_EQ(merged({kEval, "sleep"}, {"deep", "deep"}, true), (Names{"deep()", "deep()", "sleep"}));
}

// What gdb had of a thread that stands in sorted(map(function, ...)), by version, without the helpers that compilers
// inline, and what the interpreter had of it at the same time.
TEST(MergeFrames, MergesTheStacksThatRealInterpretersHad) {
  const Names outer{"clone3", "start_thread", "pythread_wrapper", "thread_run",
                    "method_vectorcall"};
  const Names sorted{"cfunction_vectorcall_FASTCALL_KEYWORDS",
                     "builtin_sorted",
                     "PySequence_List",
                     "list_extend",
                     "map_next",
                     "partial_vectorcall"};
  const Names lock{"lock_PyThread_acquire_lock", "PyThread_acquire_lock_timed", "__new_sem_wait"};
  const auto joined = [](std::initializer_list<Names> parts) {
    Names all;
    for (const Names& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  // 3.9.18: an evaluator for each function.
  EXPECT_EQ(
      merged(joined({outer, {kEval, kEval, kEval, kEval}, sorted, {kEval, kEval, kEval}, lock}),
             {"*_bootstrap", "*_bootstrap_inner", "*run", "*through_c", "*called_back", "*wait",
              "*wait"},
             true),
      joined({outer,
              {"_bootstrap()", "_bootstrap_inner()", "run()", "through_c()"},
              sorted,
              {"called_back()", "wait()", "wait()"},
              lock}));
  // 3.11.7: Thread.run calls its target through C's do_call_core.
  EXPECT_EQ(
      merged(
          joined({outer, {kEval, "do_call_core", "_PyEval_Vector", kEval}, sorted, {kEval}, lock}),
          {"*_bootstrap", "_bootstrap_inner", "run", "*through_c", "*called_back", "wait", "wait"},
          true),
      joined({outer,
              {"_bootstrap()", "_bootstrap_inner()", "run()", "do_call_core", "_PyEval_Vector",
               "through_c()"},
              sorted,
              {"called_back()", "wait()", "wait()"},
              lock}));
  // 3.13.0: an evaluator runs all that call each other.
  EXPECT_EQ(merged(joined({outer, {kEval}, sorted, {kEval}, lock}),
                   {"*_bootstrap", "_bootstrap_inner", "run", "through_c", "*called_back", "wait",
                    "wait"},
                   true),
            joined({outer,
                    {"_bootstrap()", "_bootstrap_inner()", "run()", "through_c()"},
                    sorted,
                    {"called_back()", "wait()", "wait()"},
                    lock}));
}

}  // namespace
}  // namespace lockstep::live
