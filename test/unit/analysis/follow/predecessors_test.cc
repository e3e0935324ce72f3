// What an operation follows where several streams run beside each other.
#include "analysis/follow/predecessors.h"

#include <random>

#include "analysis/follow/role_reference.h"
#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kLate = 1;

// Three hosts of four ranks exchange tokens within the host in each layer. Gradients of two layers are reduced by
// all, beside the layers after them. Rank 1 computes longer, so that its host falls behind the others within a
// step: there a reduction ends before the layer that the next one follows, and on the other hosts after it.
Judged play_layers_beside_reductions() {
  PlayedJob job(12, 4);
  const unsigned hosts[] = {job.communicator({0, 1, 2, 3}), job.communicator({4, 5, 6, 7}),
                            job.communicator({8, 9, 10, 11})};
  std::mt19937_64 random(3);
  job.collective(0);
  for (int step = 0; step < 12; ++step) {
    uint64_t reduced_ns = 0;
    for (int layer = 0; layer < 14; ++layer) {
      for (int32_t rank = 0; rank < 12; ++rank) {
        job.work(rank, 2 * kMs + (random() >> 11) % (40 * kUs));
        if (rank == kLate) job.work(rank, 200 * kUs);
      }
      if (layer >= 7 && layer % 2 == 1) {
        const auto begin_ns = [&](int32_t rank) {
          return std::max(job.now_ns(rank) + 30 * kUs, reduced_ns);
        };
        reduced_ns = job.beside(0, begin_ns, 2'500 * kUs);
      }
      for (const unsigned host : hosts) job.collective(host, kMs / 2, "AlltoAll");
    }
    for (int32_t rank = 0; rank < 12; ++rank)
      job.work(rank, std::max(job.now_ns(rank), reduced_ns) - job.now_ns(rank));
  }
  return job.judge();
}

TEST(Predecessors, OfReductionsAreLayersThoughTheReductionBeforeMayEndLater) {
  const Judged judged = play_layers_beside_reductions();
  const RunTables& run = *judged.run;
  OwnSegments own = find_own_segments(run);
  const Roles roles = find_roles(run, own);
  choose_predecessors(roles, &own);
  const Excesses excesses = measure_excesses(run, own, roles);
  int64_t most_ns = 0;
  for (const uint32_t a : own.order) {
    const bool reduction = run.operations[run.arrivals[a].operation].communicator == 0;
    const uint32_t process = own.actors[own.segments[a].actor].process;
    if (reduction && process != kLate) most_ns = std::max(most_ns, excesses.ns[a]);
  }
  EXPECT_LT(most_ns, int64_t{100 * kUs});
}

// Ranks 0 and 1 send to the next stage of a pipeline, which computes and then reduces with them, on another
// stream. Rank 1 sends late and is waited for in the reduction: between two sends it has no more time than rank 0.
TEST(Predecessors, OfALateRankAreThoseFromWhichItIsLate) {
  PlayedJob job(4, 1);
  const unsigned all = job.communicator({0, 1, 2, 3});
  std::mt19937_64 random(5);
  job.collective(0);
  for (int step = 0; step < 20; ++step) {
    for (const int32_t rank : {0, 1}) {
      job.work(rank, 3 * kMs + (random() >> 11) % (40 * kUs) + (rank == kLate ? 2 * kMs : 0));
      job.send(rank, rank + 2);
      job.receive(rank, rank + 2);
      job.work(rank + 2, 3 * kMs);
    }
    job.stream(PlayedJob::kStreamBeside);
    job.collective(all);
    job.stream(PlayedJob::kStream);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{kLate});
}

// Right behind the sharded parameters of each step all ranks reduce a norm, on another stream. Before the first norm
// its connections are set up, which takes longer than all that steps differ by.
TEST(Predecessors, AreNotToldByTheSetUpOfConnections) {
  PlayedJob job(4, 2);
  const unsigned parameters = job.communicator({0, 1, 2, 3});
  std::mt19937_64 random(7);
  for (int step = 0; step < 16; ++step) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 40 * kMs + (random() >> 11) % kMs);
    job.collective(parameters, 2 * kMs, "AllGather");
    for (int32_t rank = 0; step == 0 && rank < 4; ++rank) job.work(rank, 65 * kMs);
    job.stream(PlayedJob::kStreamBeside);
    job.collective(0);
    job.stream(PlayedJob::kStream);
  }
  const Judged judged = job.judge();
  const RunTables& run = *judged.run;
  OwnSegments own = find_own_segments(run);
  choose_predecessors(find_roles(run, own), &own);
  const auto communicator_of = [&](uint32_t a) {
    return run.operations[run.arrivals[a].operation].communicator;
  };
  for (const uint32_t a : own.order) {
    const Segment& segment = own.segments[a];
    if (communicator_of(a) != 0 || !segment.counts) continue;
    ASSERT_NE(segment.before, kNoRow);
    EXPECT_EQ(communicator_of(segment.before), parameters);
  }
}

// Each host reduces its layers, and after the last, beside that, gradients with the other host. Host 0 is late in each step.
// There now the one of the two ends last and now the other, for nobody lets it wait; the other host waits for it.
TEST(Predecessors, OfALateHostAreThoseThatTheOthersWaitIn) {
  PlayedJob job(4, 2);
  const unsigned hosts[] = {job.communicator({0, 1}), job.communicator({2, 3})};
  const unsigned gradients[] = {job.communicator({0, 2}), job.communicator({1, 3})};
  std::mt19937_64 random(11);
  for (unsigned step = 0; step < 14; ++step) {
    for (int32_t rank = 0; rank < 4; ++rank)
      job.work(rank, 6 * kMs + (random() >> 11) % kMs + (rank < 2 ? 40 * kMs : 0));
    job.size(32768);
    for (const unsigned host : hosts) job.collective(host, 200 * kUs);
    job.size(16384);
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 2 * kMs + (random() >> 11) % kMs);
    uint64_t reduced_ns = 0;
    for (const unsigned one : gradients) {
      const auto begin_ns = [&](int32_t rank) { return job.now_ns(rank); };
      reduced_ns =
          std::max(reduced_ns, job.beside(one, begin_ns, (step % 7 == 3 ? 1 : 9) * 100 * kUs));
    }
    for (const unsigned host : hosts) job.collective(host, 300 * kUs);
    for (int32_t rank = 0; rank < 4; ++rank)
      job.work(rank, std::max(job.now_ns(rank), reduced_ns) - job.now_ns(rank));
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_TRUE(std::get<LateFacts>(judged.findings[0].facts).whole_host) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{0, 1})) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
