// What an operation follows where several streams run beside each other.
#include "analysis/whatif/predecessors.h"

#include <random>

#include "analysis/whatif/followed_run.h"
#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kLate = 1;

// Two hosts of four ranks exchange tokens within the host in each layer. Gradients of two layers are reduced by
// all, beside the layers after them. Rank 1 computes longer, so that its host falls behind the other within a
// step: there a reduction ends before the layer that the next one follows, and on the other host after it.
Judged play_layers_beside_reductions() {
  PlayedJob job(8, 4);
  const unsigned hosts[] = {job.communicator({0, 1, 2, 3}), job.communicator({4, 5, 6, 7})};
  std::mt19937_64 random(3);
  job.collective(0);
  for (int step = 0; step < 12; ++step) {
    uint64_t reduced_ns = 0;
    for (int layer = 0; layer < 14; ++layer) {
      for (int32_t rank = 0; rank < 8; ++rank) {
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
    for (int32_t rank = 0; rank < 8; ++rank)
      job.work(rank, std::max(job.now_ns(rank), reduced_ns) - job.now_ns(rank));
  }
  return job.judge();
}

TEST(Predecessors, OfReductionsAreLayersThoughTheReductionBeforeMayEndLater) {
  const Judged judged = play_layers_beside_reductions();
  const RunTables& run = *judged.run;
  const OwnSegments own = follow_run(run).own;
  const auto communicator_of = [&](uint32_t a) {
    return run.operations[run.arrivals[a].operation].communicator;
  };
  size_t after_layers = 0, after_reductions = 0;
  for (const uint32_t a : own.order) {
    const uint32_t before = own.segments[a].before;
    if (communicator_of(a) != 0 || before == kNoRow) continue;
    ++(communicator_of(before) != 0 ? after_layers : after_reductions);
  }
  EXPECT_EQ(after_layers, size_t{12 * 4 * 8});
  EXPECT_EQ(after_reductions, 0u);
}

}  // namespace
}  // namespace lockstep::analysis
