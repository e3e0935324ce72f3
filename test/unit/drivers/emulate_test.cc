// The emulator's parts that can be wrong without anybody noticing in a run: step counts, GPU clock,
// stream order, truth.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "test/drivers/common/truth.h"
#include "test/drivers/emulate/gpu.h"
#include "test/drivers/emulate/operation.h"

namespace lockstep::driver {
namespace {

TEST(OperationPlan, CutsARingAllReduceIntoAsManyStepsAsNccl) {
  const OperationPlan plan = plan_operation({"AllReduce", uint64_t{1} << 30, 0, 0}, 16, 3, 2);
  EXPECT_EQ(plan.channels, 2);
  EXPECT_EQ(plan.send.steps, 960);
  EXPECT_EQ(plan.receive.steps, 960);
}

TEST(OperationPlan, HalvesTheStepsOfAnAllReduceForItsTwoHalves) {
  const OperationPlan gather = plan_operation({"AllGather", 65536, 0, 0}, 2, 0, 2);
  const OperationPlan reduce = plan_operation({"AllReduce", 65536, 0, 0}, 2, 0, 2);
  EXPECT_EQ(reduce.send.steps, 4);
  EXPECT_EQ(gather.send.steps, 2);
}

TEST(OperationPlan, NeverSendsMoreThanASliceAtATime) {
  const OperationPlan plan = plan_operation({"AllReduce", 100'000'000, 0, 0}, 4, 0, 1);
  EXPECT_LE(plan.send.slice_bytes, uint64_t{1} << 20);
}

TEST(OperationPlan, EndsAReduceChainAtTheRoot) {
  const Operation reduce{"Reduce", 4096, 1, 0};
  EXPECT_EQ(plan_operation(reduce, 3, 1, 1).send.steps, 0);
  EXPECT_EQ(plan_operation(reduce, 3, 2, 1).receive.steps, 0);
  EXPECT_GT(plan_operation(reduce, 3, 0, 1).send.steps, 0);
}

TEST(OperationPlan, GivesAZeroByteSendOneStep) {
  EXPECT_EQ(plan_operation({"Send", 0, 0, 1}, 2, 0, 2).send.steps, 1);
}

TEST(OperationPlan, RegisteredBuffersTakeAStepAGiB) {
  const Operation send = {"Send", uint64_t{3} << 30, 0, 1};
  EXPECT_EQ(plan_operation(send, 2, 0, 2, true).send.steps, 2);
  EXPECT_EQ(plan_operation(send, 2, 0, 2, false).send.steps, 12'288);
  EXPECT_EQ(plan_operation({"Send", 4096, 0, 1}, 2, 0, 2, true).send.slice_bytes, 4096u);
}

TEST(OperationPlan, KeepsSelfSendsAndBroadcastsAwayFromTheProxy) {
  EXPECT_EQ(plan_operation({"Send", 4096, 0, 1}, 2, 1, 2).channels, 0);
  EXPECT_EQ(plan_operation({"Broadcast", 4096, 0, 0}, 2, 1, 2).channels, 0);
}

TEST(GpuClock, IsOffByWhatWasAskedInUnitsOfItsResolution) {
  GpuClockOptions options;
  options.offset_us = 3'600'000'000;
  options.resolution_ns = 1024;
  const GpuClock clock(options, 1);
  const uint64_t stamp = clock.now();
  const auto hours =
      static_cast<double>(static_cast<int64_t>(stamp) - clock_ns(CLOCK_REALTIME)) / 3.6e12;
  EXPECT_EQ(stamp % 1024, 0u);
  EXPECT_NEAR(hours, 2, 0.1);
}

TEST(Stream, RunsKernelsOneAfterTheOther) {
  const GpuClock clock(GpuClockOptions{}, 0);
  Stream stream(&clock);
  const auto make = [] {
    auto kernel = std::make_shared<Kernel>();
    kernel->works = {std::make_shared<Work>()};
    kernel->works[0]->recv_steps = 1;
    return kernel;
  };
  const auto first = make(), second = make();
  stream.launch(first);
  stream.launch(second);

  stream.advance();
  EXPECT_TRUE(first->works[0]->running);
  EXPECT_FALSE(second->works[0]->running);

  first->works[0]->consumed = 1;
  stream.advance();
  EXPECT_TRUE(stream.wait(*first, 0));
  EXPECT_TRUE(second->works[0]->running);
  EXPECT_GE(second->works[0]->start_stamp, first->works[0]->stop_stamp);
  EXPECT_FALSE(stream.wait(*second, 0));
}

TEST(Work, MakesASliceReadyOnlyWhenItsInputAndABufferAreThere) {
  Work work;
  work.send_steps = 100;
  work.lead = 2;
  EXPECT_EQ(work.filled(), 0);
  work.running = true;
  EXPECT_EQ(work.filled(), 2);
  work.consumed = 50;
  EXPECT_EQ(work.filled(), kSlots);
  work.sent = 49;
  EXPECT_EQ(work.filled(), 52);
}

TEST(TruthFile, NamesOneFilePerRank) {
  EXPECT_EQ(truth_path("t", 3, 4), "t.3");
  EXPECT_EQ(truth_path("t", 0, 1), "t");
  EXPECT_EQ(truth_path("a/%r.json", 3, 4), "a/3.json");
  EXPECT_EQ(truth_path("", 3, 4), "");
}

TEST(TruthFile, NamesWhatIsInjectedAndTheCulprit) {
  const std::string path = testing::TempDir() + "truth_test.jsonl";
  {
    Result<TruthFile> truth = TruthFile::open(path);
    ASSERT_TRUE(truth.ok());
    truth.value().run({0, 2, "h", 1, {{"late", -1}, {"hang", 1}}, 5, 0, ""});
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("\"injected\":\"hang\",\"culprit\":1,\"at\":5"), std::string::npos)
      << text.str();
  remove(path.c_str());
}

}  // namespace
}  // namespace lockstep::driver
