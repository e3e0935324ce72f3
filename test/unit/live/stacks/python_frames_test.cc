// Which Python threads there are, out of made-up memories; real ones are test/live/python_frames.sh's.
#include "live/stacks/python_frames.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "test/unit/live/stacks/fake_python.h"

namespace lockstep::live {
namespace {

// Does something before the n-th read.
class WatchedMemory : public TargetMemory {
 public:
  explicit WatchedMemory(FakeMemory* memory) : memory_(memory) {}
  bool read(uint64_t address, void* to, size_t bytes) const override {
    if (before_read) before_read(reads++);
    return memory_->read(address, to, bytes);
  }
  std::function<void(int)> before_read;
  mutable int reads = 0;

 private:
  FakeMemory* memory_;
};

class PythonThreads : public ::testing::Test {
 protected:
  PythonThreads() { python_.memory.put(runtime_ + layout_.runtime.interpreters, interpreter_); }

  // The newest thread of the interpreter, by the id that the kernel has for it.
  uint64_t add(uint64_t interpreter, uint64_t task) {
    const uint64_t state = python_.thread(0, interpreter);
    uint64_t newest = 0;
    python_.memory.read_value(interpreter + layout_.interpreter.threads, &newest);
    python_.memory.put(state + layout_.thread.next, newest);
    python_.memory.put(state + *layout_.thread.task, task);
    python_.memory.put(interpreter + layout_.interpreter.threads, state);
    return state;
  }
  std::vector<uint64_t> states() {
    PythonProcess process;
    process.layout = layout_;
    process.runtime = runtime_;
    std::vector<uint64_t> states;
    for (const PythonThread& thread : PythonReader(pid_, memory_, process, {}).threads())
      states.push_back(thread.state);
    return states;
  }
  using States = std::vector<uint64_t>;

  const uint32_t pid_ = static_cast<uint32_t>(getpid());
  const PythonLayout layout_ = *table_layout({0x030c0000, false});
  FakePython python_{layout_};
  WatchedMemory memory_{&python_.memory};
  const uint64_t runtime_ = python_.memory.allocate(64);
  const uint64_t interpreter_ = python_.memory.allocate(128);
};

TEST_F(PythonThreads, AreThoseOfAllInterpreters) {
  const uint64_t other = python_.memory.allocate(128);
  python_.memory.put(interpreter_ + layout_.interpreter.next, other);
  const uint64_t main = add(interpreter_, pid_), second = add(interpreter_, 0),
                 third = add(other, 0);
  EXPECT_EQ(states(), (States{second, main, third}));
}

TEST_F(PythonThreads, HaveTheKernelsIdsWhereThereAreSuchThreads) {
  add(interpreter_, pid_);
  add(interpreter_, 1);
  PythonProcess process;
  process.layout = layout_;
  process.runtime = runtime_;
  const auto threads = PythonReader(pid_, memory_, process, {}).threads();
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0].thread, 0U) << "process 1 is no thread of this one";
  EXPECT_EQ(threads[1].thread, pid_);
}

TEST_F(PythonThreads, EndAtACircleAndAtAThreadOfAnotherInterpreter) {
  const uint64_t main = add(interpreter_, 0), second = add(interpreter_, 0);
  python_.memory.put(main + layout_.thread.next, second);
  EXPECT_EQ(states(), (States{second, main}));
  python_.memory.put(main + layout_.thread.interpreter, uint64_t{0});
  EXPECT_EQ(states(), (States{second}));
  python_.memory.put(interpreter_ + layout_.interpreter.threads, uint64_t{1});
  EXPECT_EQ(states(), States{});
  EXPECT_LT(memory_.reads, 200);
}

TEST_F(PythonThreads, AreLookedForAgainWhereTheListChangedUnderTheWalk) {
  const uint64_t main = add(interpreter_, 0), ended = add(interpreter_, 0),
                 last = add(interpreter_, 0);
  // A thread that has ended leads nowhere; by the next walk it is off the list.
  python_.memory.put(ended + layout_.thread.interpreter, uint64_t{0});
  memory_.before_read = [&](int n) {
    if (n == 12) python_.memory.put(last + layout_.thread.next, main);
  };
  EXPECT_EQ(states(), (States{last, main}));
}

}  // namespace
}  // namespace lockstep::live
