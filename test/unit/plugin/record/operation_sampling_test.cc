#include "plugin/record/operation_sampling.h"

#include <gtest/gtest.h>

#include <vector>

#include "plugin/record/capture_watch.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

class Sampling : public testing::Test {
 protected:
  Sampling() {
    thread_log.serial = 1000;
    thread_log.serial_end = 100000;
  }
  ~Sampling() override { thread_log = ThreadLog{}; }
  // An event's id as record_start() would give it; 0 where it is not recorded.
  EventId start(Kind kind, EventId parent, uint64_t number = 0, uint32_t comm = 3) {
    if (!sampling_.takes(kind, comm, parent, number)) return 0;
    return make_event_id(kind, comm, thread_log.serial++);
  }
  // Whether the steps of a send are recorded.
  bool has_steps(uint32_t comm, bool send, int peer) {
    const EventId p2p = start(Kind::P2p, 0, OperationSampling::pair(send, peer), comm);
    return start(Kind::ProxyStep, start(Kind::ProxyOp, p2p)) != 0;
  }

  OperationSampling& sampling_ = one_more();

 private:
  // What it counts lives as long as the process, as in the plugin.
  static OperationSampling& one_more() {
    static auto& all = *new std::vector<OperationSampling*>;
    all.push_back(new OperationSampling);
    return *all.back();
  }
};

TEST_F(Sampling, OfCollectivesGoesByTheirNumberAndReachesAllThatBelongsToThem) {
  sampling_.choose(4, false, false);
  for (const uint64_t number : {0u, 1u, 7u, 8u, 9u, 4096u}) {
    const bool chosen = number % 4 == 0;
    const EventId coll = start(Kind::Coll, 0, number);
    const EventId proxy_op = start(Kind::ProxyOp, coll);
    const EventId kernel = start(Kind::KernelCh, coll);
    ASSERT_NE(coll, 0u) << "operations are always recorded";
    ASSERT_NE(proxy_op, 0u);
    ASSERT_NE(kernel, 0u);
    for (int i = 0; i < 3; ++i) {
      const EventId step = start(Kind::ProxyStep, proxy_op);
      EXPECT_EQ(step != 0, chosen) << number;
      EXPECT_EQ(start(Kind::NetPlugin, step) != 0, chosen) << number;
      EXPECT_EQ(start(Kind::KernelPhase, kernel) != 0, chosen) << number;
    }
    EXPECT_NE(start(Kind::CollApi, 0), 0u);
  }
}

TEST_F(Sampling, DoesNotTakeWhatHasNoRecordedParent) {
  sampling_.choose(4, false, false);
  EXPECT_EQ(start(Kind::ProxyStep, 0), 0u);
  EXPECT_EQ(start(Kind::ProxyStep, make_unrecorded_id(Kind::ProxyOp, 3, Loss::Filtered)), 0u);
  const EventId orphan = start(Kind::ProxyOp, 0);
  EXPECT_NE(orphan, 0u);
  EXPECT_EQ(start(Kind::ProxyStep, orphan), 0u);
}

TEST_F(Sampling, OfSendsGoesByPairAndDirectionOnEachCommunicator) {
  sampling_.choose(3, false, false);
  sampling_.begin_comm(5, 4);
  sampling_.begin_comm(6, 4);
  std::vector<bool> to_2, from_2;
  for (int i = 0; i < 7; ++i) {
    to_2.push_back(has_steps(5, true, 2));
    if (i % 2 == 0) from_2.push_back(has_steps(5, false, 2));
  }
  EXPECT_EQ(to_2, (std::vector<bool>{true, false, false, true, false, false, true}));
  EXPECT_EQ(from_2, (std::vector<bool>{true, false, false, true}));
  EXPECT_TRUE(has_steps(5, true, 3));
  EXPECT_TRUE(has_steps(6, true, 2));
  EXPECT_FALSE(has_steps(5, true, 4)) << "no such rank";
  EXPECT_FALSE(has_steps(7, true, 0)) << "a communicator that nobody counts";
}

TEST_F(Sampling, TakesEveryOperationWhereAllAreWanted) {
  sampling_.choose(1000, true, false);
  sampling_.begin_comm(5, 4);
  EXPECT_NE(start(Kind::ProxyStep, start(Kind::ProxyOp, start(Kind::Coll, 0, 17))), 0u);
  EXPECT_TRUE(has_steps(5, true, 2));
  sampling_.choose(2, false, false);
  EXPECT_FALSE(has_steps(5, true, 2)) << "the one before was counted";
  EXPECT_TRUE(has_steps(5, true, 2));
}

TEST_F(Sampling, TakesEveryOperationOfACaptureThatWantsThem) {
  sampling_.choose(1000, false, true);
  const auto has_steps_now = [this] {
    return start(Kind::ProxyStep, start(Kind::ProxyOp, start(Kind::Coll, 0, 17))) != 0;
  };
  EXPECT_FALSE(has_steps_now());
  ASSERT_TRUE(capture_watch.arm_instant());
  EXPECT_FALSE(has_steps_now());
  ASSERT_TRUE(capture_watch.start_now());
  EXPECT_TRUE(has_steps_now());
  ASSERT_TRUE(capture_watch.stop_now());
  EXPECT_FALSE(has_steps_now());
  capture_watch.clear(0);
}

TEST_F(Sampling, KeepsTheChoiceAcrossRangesOfSerials) {
  ArenaHeader arena{};
  arena.next_serial.store(1);
  recorder.arena = &arena;
  sampling_.choose(2, false, false);
  thread_log.serial = thread_log.serial_end = 0;
  EventId last = 0;
  for (uint64_t number = 0; number < 9000; ++number) {
    const EventId id = start(Kind::Coll, 0, number);
    ASSERT_EQ(serial_of(id) % 2, number % 2 == 0 ? 1u : 0u);
    ASSERT_GT(serial_of(id), serial_of(last));
    last = id;
  }
  recorder.arena = nullptr;
}

}  // namespace
}  // namespace lockstep::plugin
