#include "live/stacks/thread_ids.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <future>
#include <thread>

namespace lockstep::live {
namespace {

uint32_t own_thread() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

// This process's, read without process_vm_readv: qemu-user, under which aarch64 is tested, has none.
class OwnMemory : public TargetMemory {
 public:
  bool read(uint64_t address, void* to, size_t bytes) const override {
    memcpy(to, reinterpret_cast<const void*>(address), bytes);  // NOLINT: it is an address here
    return true;
  }
};

class ThreadIdsTest : public ::testing::Test {
 protected:
  ThreadIds ids() const { return ids_from(memory_); }
  ThreadIds ids_from(const TargetMemory& memory) const {
    return ThreadIds::of(pid_, memory, read_maps(pid_).value());
  }
  const uint32_t pid_ = static_cast<uint32_t>(getpid());
  const ProcessMemory memory_{pid_};
};

TEST_F(ThreadIdsTest, FindsTheKernelsIdBehindAPthread) {
  std::promise<void> done;
  std::promise<uint32_t> told;
  std::thread other([&] {
    told.set_value(own_thread());
    done.get_future().wait();
  });
  const uint32_t expected = told.get_future().get();
  const auto pthread = static_cast<uint64_t>(other.native_handle());
  const OwnMemory own;
  const ThreadIds threads = ids_from(own);
  // A task that the parent of a fork had is not this process's.
  EXPECT_EQ(threads.id_of(0, pthread, own), expected);
  EXPECT_EQ(threads.id_of(1, pthread, own), expected);
  EXPECT_EQ(threads.id_of(0, static_cast<uint64_t>(pthread_self()), own), own_thread());
  done.set_value();
  other.join();
}

TEST_F(ThreadIdsTest, TakesTheNotedIdWhereThePthreadTellsNothing) {
  EXPECT_EQ(ids().id_of(own_thread(), 0, memory_), own_thread());
  EXPECT_EQ(ids().id_of(own_thread(), 0xdeadbeef, memory_), own_thread());
}

TEST_F(ThreadIdsTest, KnowsNoThreadThatIsNotThere) {
  EXPECT_EQ(ids().id_of(1, 0, memory_), 0U);
  EXPECT_EQ(ids().id_of(UINT64_MAX, 0, memory_), 0U);
  EXPECT_EQ(ids().id_of(0, 0, memory_), 0U);
}

}  // namespace
}  // namespace lockstep::live
