#include "live/native/thread_state.h"

#include <gtest/gtest.h>

#include "test/unit/live/native/waiting_process.h"

namespace lockstep::live {
namespace {

TEST(ThreadState, TellsNameStateAndSystemCall) {
  const Waiting process;
  const std::vector<ThreadState> threads = threads_of(process.pid());
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].tid, process.pid());
  EXPECT_EQ(threads[0].state, 'S');
  EXPECT_EQ(threads[0].syscall, "read");
  EXPECT_TRUE(threads_of(-1).empty());
}

}  // namespace
}  // namespace lockstep::live
