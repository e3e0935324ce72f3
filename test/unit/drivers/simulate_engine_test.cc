// The simulator's engine: streams in order, operations that begin together, hosts that run ahead.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "test/drivers/simulate/engine.h"

namespace lockstep::simulate {
namespace {

// Two ranks of one host without noise, and what the engine says of them.
class Pair : public Observer {
 public:
  struct Kernel {
    int rank;
    uint64_t launch;
    int64_t began_ns, ended_ns = kNever;
  };

  Pair() {
    LayoutOptions options;
    options.ranks = 2;
    layout = make_layout(options, 1).value();
    NoiseModel model;
    model.host_sigma = model.kernel_sigma = model.transfer_sigma = 0;
    noise.emplace(model, Random(1), 2, 8, 1);
    programs.resize(2);
  }

  void compute(int rank, int64_t ns) { add(rank, Do::Compute).ns = ns; }
  void host_wait(int rank) { add(rank, Do::HostWait); }
  void work(int rank, int64_t ns) { add(rank, Do::Work).ns = ns; }
  // Communicator 0 is the world, 1 the data ranks: the same two.
  void all_reduce(int rank, uint32_t communicator) {
    launch(rank, {communicator, Function::AllReduce, 0, 1 << 20});
  }
  void launch(int rank, const Part& part) {
    Program& program = programs[static_cast<size_t>(rank)];
    Instruction& made = add(rank, Do::Launch);
    made.first_part = static_cast<uint32_t>(program.parts.size());
    made.parts = 1;
    program.parts.push_back(part);
  }
  Outcome play(int run_ahead = 1024, int sync_every = 1) {
    const Faults none;
    const Network network(layout, Machine(), *noise, none, false);
    Job job{layout, programs, network, *noise, none};
    job.steps = 1;
    job.run_ahead = run_ahead;
    job.sync_every = sync_every;
    return simulate::play(job, this);
  }
  Kernel& kernel(int rank, uint64_t launch) {
    return *std::find_if(kernels.begin(), kernels.end(),
                         [&](const Kernel& at) { return at.rank == rank && at.launch == launch; });
  }

  uint64_t launched(const Launch& launch) override {
    launches.push_back(launch);
    return next[launch.rank]++;
  }
  void kernel_began(int rank, uint64_t launch, int64_t at_ns) override {
    kernels.push_back({rank, launch, at_ns});
  }
  void kernel_ended(int rank, uint64_t launch, int64_t at_ns) override {
    kernel(rank, launch).ended_ns = at_ns;
  }
  void moved(const Meeting&, const Transfer&, Progress) override {}
  void broke(int, uint64_t, int64_t) override {}
  void died(int, int64_t) override {}

  Layout layout;
  std::vector<Program> programs;
  std::optional<Noise> noise;
  std::vector<Launch> launches;
  std::vector<Kernel> kernels;
  uint64_t next[2] = {};

 private:
  Instruction& add(int rank, Do what) {
    Instruction& made = programs[static_cast<size_t>(rank)].instructions.emplace_back();
    made.what = what;
    return made;
  }
};

TEST(SimulateEngine, AnOperationMovesItsDataWhenTheLastKernelHasBegun) {
  Pair job;
  job.compute(1, 5'000'000);
  for (int rank : {0, 1}) job.all_reduce(rank, 0);
  EXPECT_FALSE(job.play().hung());
  const auto &first = job.kernel(0, 0), &second = job.kernel(1, 0);
  EXPECT_LT(first.began_ns, 1'000'000);
  EXPECT_GT(second.began_ns, 5'000'000);
  EXPECT_EQ(first.ended_ns, second.ended_ns);
  // 1 MiB at 200 GB/s once over each of the two edges of 1 us, and 4 us of kernel.
  EXPECT_EQ(second.ended_ns - second.began_ns, 4'000 + 5'242 + 2'000);
}

TEST(SimulateEngine, AStreamRunsOneKernelAfterTheOther) {
  Pair job;
  for (int rank : {0, 1}) {
    for (int i = 0; i < 3; ++i) job.all_reduce(rank, 0);
  }
  EXPECT_FALSE(job.play().hung());
  for (uint64_t i = 1; i < 3; ++i)
    EXPECT_GE(job.kernel(0, i).began_ns, job.kernel(0, i - 1).ended_ns);
}

TEST(SimulateEngine, AHostRunsAheadOfItsGpuAsFarAsItMay) {
  Pair ahead, kept_back;
  for (Pair* job : {&ahead, &kept_back}) {
    for (int rank : {0, 1}) {
      for (int i = 0; i < 4; ++i) job->compute(rank, 10'000'000);
      job->all_reduce(rank, 0);
    }
  }
  EXPECT_FALSE(ahead.play().hung());
  EXPECT_LT(ahead.launches[0].called_ns, 1'000'000);
  EXPECT_FALSE(kept_back.play(2).hung());
  EXPECT_GT(kept_back.launches[0].called_ns, 20'000'000);
}

TEST(SimulateEngine, AHostThatWaitsForItsGpuGoesOnWhenItIsDone) {
  Pair job;
  for (int rank : {0, 1}) {
    job.compute(rank, 10'000'000);
    job.host_wait(rank);
    job.all_reduce(rank, 0);
  }
  EXPECT_FALSE(job.play().hung());
  EXPECT_GT(job.launches[0].called_ns, 10'000'000);
}

TEST(SimulateEngine, OppositeOrdersOnOneStreamNeverMeet) {
  Pair job;
  job.all_reduce(0, 0);
  job.all_reduce(0, 1);
  job.all_reduce(1, 1);
  job.all_reduce(1, 0);
  for (int rank : {0, 1}) job.host_wait(rank);
  EXPECT_TRUE(job.play().hung());
  EXPECT_EQ(job.kernels.size(), 2u);
}

TEST(SimulateEngine, TheLastStepWaitsForItsGpuInAnyCase) {
  Pair job;
  job.all_reduce(0, 0);
  for (int rank : {0, 1}) job.host_wait(rank);
  EXPECT_TRUE(job.play(1024, 3).hung());
}

TEST(SimulateEngine, ASmallSendDoesNotWaitForItsReceiver) {
  Pair job;
  job.launch(0, {0, Function::Send, 1, 4'096});
  job.compute(1, 5'000'000);
  job.launch(1, {0, Function::Recv, 0, 4'096});
  EXPECT_FALSE(job.play().hung());
  EXPECT_LT(job.kernel(0, 0).ended_ns, 1'000'000);
  EXPECT_GT(job.kernel(1, 0).ended_ns, 5'000'000);
}

TEST(SimulateEngine, ALargeSendWaitsForItsReceiver) {
  Pair job;
  job.launch(0, {0, Function::Send, 1, 4 << 20});
  job.compute(1, 5'000'000);
  job.launch(1, {0, Function::Recv, 0, 4 << 20});
  EXPECT_FALSE(job.play().hung());
  EXPECT_GT(job.kernel(0, 0).ended_ns, 5'000'000);
}

TEST(SimulateEngine, TheRanksBeforeTheRootOfAReduceDoNotWaitForIt) {
  Pair job;
  job.compute(1, 5'000'000);
  for (int rank : {0, 1}) job.launch(rank, {0, Function::Reduce, 1, 64'000});
  EXPECT_FALSE(job.play().hung());
  EXPECT_LT(job.kernel(0, 0).ended_ns, 1'000'000);
  EXPECT_GT(job.kernel(1, 0).ended_ns, 5'000'000);
}

TEST(SimulateEngine, TheRootOfAReduceWaitsForTheRanksBefore) {
  Pair job;
  job.compute(1, 5'000'000);
  for (int rank : {0, 1}) job.launch(rank, {0, Function::Reduce, 0, 64'000});
  EXPECT_FALSE(job.play().hung());
  EXPECT_GT(job.kernel(0, 0).ended_ns, 5'000'000);
}

}  // namespace
}  // namespace lockstep::simulate
