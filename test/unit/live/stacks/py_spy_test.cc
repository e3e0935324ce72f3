// py-spy's JSON, as src/stack_trace.rs of benfred/py-spy describes it: serde writes every field of StackTrace and
// Frame by its name. The sample is made after it, not taken from a run.
#include "live/stacks/py_spy.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "test/unit/temp_dir.h"

namespace lockstep::live {
namespace {

constexpr int64_t kPySpyPatienceNs = 60'000'000'000;  // bounds a hang

constexpr char kSample[] = R"([
  {
    "pid": 4711,
    "thread_id": 140737353844544,
    "thread_name": "MainThread",
    "os_thread_id": 4711,
    "active": false,
    "owns_gil": false,
    "frames": [
      {"name": "Trainer.step", "filename": "/job/größe.py", "module": null, "short_filename": "größe.py", "line": 120,
       "locals": null, "is_entry": false, "is_shim_entry": false},
      {"name": "key", "filename": "/job/train.py", "module": null, "short_filename": "train.py", "line": 80,
       "locals": null, "is_entry": false, "is_shim_entry": true},
      {"name": "<module>", "filename": "/job/train.py", "module": null, "short_filename": null, "line": 7,
       "locals": null, "is_entry": false, "is_shim_entry": true}
    ],
    "process_info": null
  },
  {"pid": 4711, "thread_id": 9, "thread_name": null, "os_thread_id": null, "active": true, "owns_gil": true,
   "frames": [], "process_info": null}
])";

TEST(PySpy, GivesTheThreadsOutermostFrameFirst) {
  const auto stacks = parse_py_spy(kSample);
  ASSERT_TRUE(stacks.ok()) << stacks.message();
  ASSERT_EQ(stacks.value().size(), 2U);
  const PythonStack& main = stacks.value()[0];
  EXPECT_EQ(main.thread, 4711U);
  EXPECT_EQ(main.state, PythonStackState::Torn) << "nothing says that it stood still";
  ASSERT_EQ(main.frames.size(), 3U);
  EXPECT_EQ(main.frames[0].function, "<module>");
  EXPECT_TRUE(main.frames[0].entry);
  EXPECT_TRUE(main.frames[1].entry);
  EXPECT_EQ(main.frames[2].function, "Trainer.step");
  EXPECT_EQ(main.frames[2].file, "/job/größe.py");
  EXPECT_EQ(main.frames[2].line, 120);
  EXPECT_FALSE(main.frames[2].entry);
  EXPECT_EQ(stacks.value()[1].thread, 0U);
  EXPECT_TRUE(stacks.value()[1].frames.empty());
}

TEST(PySpy, SaysWhatIsWrongWithAnAnswerOfAnotherShape) {
  EXPECT_EQ(parse_py_spy("").message(), "its answer is no JSON at byte 0");
  EXPECT_EQ(parse_py_spy("{}").message(), "its answer is no list of threads");
  EXPECT_EQ(parse_py_spy("[{}]").message(), "its answer has a thread without `frames`");
  EXPECT_EQ(parse_py_spy("[7]").message(), "its answer has a thread without `frames`");
}

TEST(PySpy, TakesMissingAndStrangeFieldsForNotKnown) {
  const auto stacks = parse_py_spy(R"([{"os_thread_id": 18446744073709551615, "frames":
      [{}, {"name": 7, "filename": null, "line": -3, "is_entry": "yes"}, 8]}])");
  ASSERT_TRUE(stacks.ok()) << stacks.message();
  EXPECT_EQ(stacks.value()[0].thread, 0U);
  ASSERT_EQ(stacks.value()[0].frames.size(), 3U);
  EXPECT_EQ(stacks.value()[0].frames[1].function, "");
  EXPECT_EQ(stacks.value()[0].frames[1].line, 0);
}

// A program of that name which prints what the test wants.
class PySpyInPath : public ::testing::Test {
 protected:
  PySpyInPath() : path_(std::getenv("PATH")) {
    setenv("PATH", (dir_.path() + ":" + path_).c_str(), 1);
  }
  ~PySpyInPath() override { setenv("PATH", path_.c_str(), 1); }
  void put(const std::string& script) {
    std::ofstream(dir_ / "py-spy") << "#!/bin/sh\n" << script;
    chmod((dir_ / "py-spy").c_str(), 0755);
  }
  const uint32_t pid_ = static_cast<uint32_t>(getpid());
  const TempDir dir_;

 private:
  const std::string path_;
};

TEST_F(PySpyInPath, IsAskedWithoutStoppingTheProcess) {
  put("[ \"$*\" = \"dump --nonblocking --json --pid " + std::to_string(pid_) +
      "\" ] || exit 9\ncat <<'E'\n" + kSample + "\nE\n");
  const auto stacks = ask_py_spy(pid_, kPySpyPatienceNs);
  ASSERT_TRUE(stacks.ok()) << stacks.message();
  EXPECT_EQ(stacks.value().size(), 2U);
}

TEST_F(PySpyInPath, IsQuotedWhereItFails) {
  put("echo 'Error: Permission Denied' >&2; echo more >&2; exit 1");
  EXPECT_EQ(ask_py_spy(7, kPySpyPatienceNs).message(),
            "py-spy, asked for process 7, ended with code 1: Error: Permission Denied");
}

TEST_F(PySpyInPath, IsEndedWhereItTakesTooLong) {
  put("exec sleep 600");
  EXPECT_EQ(ask_py_spy(7, 50'000'000).message(),
            "py-spy, asked for process 7: it took too long and was ended");
}

TEST(PySpy, IsSaidToBeMissingWherePathHasNone) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(ask_py_spy(7, kPySpyPatienceNs).message(),
            "py-spy, asked for process 7: it is not in PATH");
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace lockstep::live
