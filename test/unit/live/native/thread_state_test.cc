#include "live/native/thread_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "test/unit/live/native/waiting_process.h"

namespace lockstep::live {
namespace {

// Whether the kernel, asked by a read() which call this thread is in, names the read() of this program.
// Under qemu-user it names that of qemu, which has threads of its own besides.
bool kernel_sees_our_calls() {
  char text[128] = {};
  const int file = open("/proc/thread-self/syscall", O_RDONLY | O_CLOEXEC);
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  return got > 0 && std::strtol(text, nullptr, 10) == SYS_read;
}

TEST(ThreadState, TellsNameStateAndSystemCall) {
  if (!kernel_sees_our_calls()) GTEST_SKIP() << "the kernel sees an emulator's threads and calls";
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
