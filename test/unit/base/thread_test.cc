#include "base/thread.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <new>

namespace lockstep {
namespace {

TEST(Thread, RunsWithEverySignalBlockedAndAStackOfItsOwnSize) {
  std::promise<std::pair<bool, size_t>> seen;
  const auto thread = start_thread("test", [&seen] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    size_t stack_bytes = 0;
    pthread_attr_getstacksize(&attributes, &stack_bytes);
    pthread_attr_destroy(&attributes);
    seen.set_value({sigismember(&blocked, SIGUSR1) == 1 && sigismember(&blocked, SIGXFSZ) == 1,
                    stack_bytes});
  });
  ASSERT_TRUE(thread.has_value());
  const auto [blocked, stack_bytes] = seen.get_future().get();
  pthread_join(*thread, nullptr);

  EXPECT_TRUE(blocked);
  EXPECT_EQ(stack_bytes, size_t{1} << 20);
}

TEST(Thread, LeavesTheStartersSignalsAsTheyWere) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  const auto thread = start_thread("test", [] {});
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  pthread_join(*thread, nullptr);

  EXPECT_EQ(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1));
}

TEST(Thread, EndsWithoutTheProgramWhenItRunsOutOfMemory) {
  const auto thread = start_thread("test", [] { throw std::bad_alloc(); });
  ASSERT_TRUE(thread.has_value());

  EXPECT_EQ(pthread_join(*thread, nullptr), 0);
}

}  // namespace
}  // namespace lockstep
