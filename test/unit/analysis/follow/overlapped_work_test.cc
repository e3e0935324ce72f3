// Ranks that compute the next gradients while those before are reduced: who waits has less left to do then.
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr uint64_t kLayerNs = 4 * kMs;
constexpr unsigned kLayers = 8, kSteps = 20;

// Two hosts of four ranks; each host reduces the gradients of every layer, all together meet after each step.
class OverlappedJob {
 public:
  OverlappedJob() : job_(8, 4), ready_ns_(8), slow_ns_(8) {
    hosts_[0] = job_.communicator({0, 1, 2, 3});
    hosts_[1] = job_.communicator({4, 5, 6, 7});
  }
  void slow_down(const std::vector<int32_t>& ranks, uint64_t ns_per_layer) {
    for (const int32_t rank : ranks) slow_ns_[static_cast<size_t>(rank)] = ns_per_layer;
  }
  // So many times as long, for each in the first step.
  void warm_up(std::vector<uint64_t> times) { warm_up_ = std::move(times); }

  Judged judge() {
    job_.collective(0);
    for (unsigned step = 0; step < kSteps; ++step) {
      for (int32_t rank = 0; rank < 8; ++rank) ready(rank) = job_.now_ns(rank);
      for (unsigned layer = 0; layer < kLayers; ++layer) {
        // The rarest call, which marks the steps, is in the middle of them.
        job_.size(layer == kLayers / 2 ? 32768 : 16384);
        reduce_layer(step);
      }
      job_.collective(0);
    }
    return job_.judge();
  }

 private:
  uint64_t& ready(int32_t rank) { return ready_ns_[static_cast<size_t>(rank)]; }
  void reduce_layer(unsigned step) {
    for (int32_t rank = 0; rank < 8; ++rank) {
      const bool warms_up = step == 0 && !warm_up_.empty();
      const uint64_t times = warms_up ? warm_up_[static_cast<size_t>(rank)] : 1;
      ready(rank) += times * kLayerNs + (random_() >> 11) % (40 * kUs);
      ready(rank) += slow_ns_[static_cast<size_t>(rank)];
      // Not before the gradients are there, nor before what was reduced before.
      job_.work(rank, std::max(ready(rank), job_.now_ns(rank)) - job_.now_ns(rank));
    }
    for (const unsigned host : hosts_) job_.collective(host);
  }

  PlayedJob job_;
  unsigned hosts_[2] = {};
  // By rank: when its gradients are there, and by how much each layer takes longer.
  std::vector<uint64_t> ready_ns_, slow_ns_;
  std::vector<uint64_t> warm_up_;
  std::mt19937_64 random_{7};
};

TEST(OverlappedWork, NamesNoHostWhoseRanksWaitForNobodyBesideALateRank) {
  OverlappedJob job;
  job.slow_down({0}, 600 * kUs);
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text(0) << judged.text(1);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{0});
}

TEST(OverlappedWork, NamesAHostAllOfWhoseRanksAreSlowAtTheSameMoments) {
  OverlappedJob job;
  job.slow_down({4, 5, 6, 7}, 600 * kUs);
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text(0) << judged.text(1);
  EXPECT_EQ(judged.findings[0].culprits.size(), 4u);
}

TEST(OverlappedWork, CountsLatenessThatIsCarriedOnFromLayerToLayerOnce) {
  OverlappedJob job;
  job.slow_down({0}, 200 * kUs);
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text(0) << judged.text(1);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{0});
  // 8 times 200 us of 35 ms, not 1 + 2 + ... + 8 times.
  EXPECT_NEAR(std::get<LateFacts>(judged.findings[0].facts).gain_share, 0.045, 0.01);
}

TEST(OverlappedWork, AccusesNobodyOfAWarmUpThatTakesEachRankAnotherTime) {
  OverlappedJob job;
  job.warm_up({6, 9, 5, 7, 6, 8, 5, 7});
  const Judged judged = job.judge();
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

// Sharded weights: each layer's are gathered, forward and backward, and its gradients are reduced while those of
// the next are computed. All layers are alike, so that no call is the rarest. Rank 1 is slower backward.
TEST(OverlappedWork, CountsLatenessOnceWhereWeightsAreGatheredInBetween) {
  constexpr uint64_t kSlowerNs = 1 * kMs, kGatherNs = 300 * kUs;
  PlayedJob job(4, 4);
  std::mt19937_64 random{7};
  const auto noise_ns = [&] { return (random() >> 11) % (40 * kUs); };
  job.collective(0);
  for (unsigned step = 0; step < kSteps; ++step) {
    for (unsigned layer = 0; layer < kLayers; ++layer) {
      job.collective(0, kGatherNs, "AllGather");
      for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, kLayerNs / 2 + noise_ns());
    }
    std::vector<uint64_t> ready_ns;
    for (int32_t rank = 0; rank < 4; ++rank) ready_ns.push_back(job.now_ns(rank));
    for (unsigned layer = 0; layer < kLayers; ++layer) {
      job.collective(0, kGatherNs, "AllGather");
      for (int32_t rank = 0; rank < 4; ++rank) {
        uint64_t& ready = ready_ns[static_cast<size_t>(rank)];
        ready += kLayerNs + noise_ns() + (rank == 1 ? kSlowerNs : 0);
        job.work(rank, std::max(ready, job.now_ns(rank)) - job.now_ns(rank));
      }
      job.collective(0, kMs, "ReduceScatter");
    }
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
  const auto& facts = std::get<LateFacts>(judged.findings[0].facts);
  EXPECT_NEAR(static_cast<double>(facts.gain_ns), 1.0 * kSteps * kLayers * kSlowerNs,
              0.3 * kSteps * kLayers * kSlowerNs)
      << all_text(judged);
}

// Two hosts reduce together. On the second all takes longer, so that the first waits for each layer and its own work is
// done before the wait ends: what is usual shows on the second alone.
TEST(OverlappedWork, NamesAHostThatIsAlwaysSlowBesideOneThatAlwaysWaits) {
  constexpr uint64_t kForwardNs = 9 * kMs, kReduceNs = 2 * kMs, kSlowerNs = 1'500 * kUs;
  constexpr uint64_t kSizes[] = {1 << 20, 1 << 18, 1 << 19, 1 << 20, 1 << 18};
  PlayedJob job(8, 4);
  std::mt19937_64 random{7};
  const auto noise_ns = [&](uint64_t ns) { return (random() >> 11) % ns; };
  job.collective(0);
  for (unsigned step = 0; step < 40; ++step) {
    std::vector<uint64_t> ready_ns;
    for (int32_t rank = 0; rank < 8; ++rank) {
      const bool slow = rank >= 4;
      ready_ns.push_back(job.now_ns(rank) + kForwardNs + noise_ns(200 * kUs) +
                         (slow ? 4 * kSlowerNs + noise_ns(2 * kMs) : 0));
    }
    for (const uint64_t size : kSizes) {
      job.size(size);
      for (int32_t rank = 0; rank < 8; ++rank) {
        const uint64_t ready = ready_ns[static_cast<size_t>(rank)];
        job.work(rank, std::max(ready, job.now_ns(rank)) - job.now_ns(rank));
        ready_ns[static_cast<size_t>(rank)] +=
            kMs + (rank >= 4 ? kSlowerNs / 2 + noise_ns(kSlowerNs) : noise_ns(200 * kUs));
      }
      job.collective(0, kReduceNs);
    }
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  Ranks named = judged.findings[0].culprits;
  std::sort(named.begin(), named.end());
  EXPECT_EQ(named, (Ranks{4, 5, 6, 7})) << all_text(judged);
  // 8 ms of 28 ms each step.
  EXPECT_NEAR(std::get<LateFacts>(judged.findings[0].facts).gain_share, 0.28, 0.03);
}

// Four ranks reduce the gradients of half of the layers at a time, which are of one size: nothing but the pauses tells one
// reduction from the other. The last of the backward pass is done while the second is under way.
struct TwoReductions {
  uint64_t pause_ns = 0;    // of rank 0, once
  uint64_t longer_ns = 0;   // so much longer takes rank 0 in each step
  double steps_differ = 0;  // by this part of their time, for all ranks alike

  Judged judge() {
    PlayedJob job(4, 1);
    std::mt19937_64 random(7);
    job.collective(0);
    std::vector<uint64_t> ready_ns;
    for (int32_t rank = 0; rank < 4; ++rank) ready_ns.push_back(job.now_ns(rank));
    const auto compute = [&](double ns, uint64_t more_of_rank_0) {
      for (size_t rank = 0; rank < 4; ++rank)
        ready_ns[rank] +=
            static_cast<uint64_t>(ns) + random() % (40 * kUs) + (rank == 0 ? more_of_rank_0 : 0);
    };
    const auto reduce = [&] {
      for (int32_t rank = 0; rank < 4; ++rank) {
        const uint64_t now_ns = job.now_ns(rank);
        job.work(rank, std::max(ready_ns[static_cast<size_t>(rank)], now_ns) - now_ns);
      }
      job.collective(0);
    };
    for (unsigned step = 0; step < 60; ++step) {
      const double scale = 1 + steps_differ * (static_cast<double>(random() % 2'000) / 1'000 - 1);
      compute(scale * 16 * kMs, longer_ns + (step == 20 ? pause_ns : 0));
      reduce();
      compute(scale * 5 * kMs, 0);
      reduce();
      compute(scale * 3 * kMs, 0);
      for (int32_t rank = 0; rank < 4; ++rank)
        ready_ns[static_cast<size_t>(rank)] =
            std::max(ready_ns[static_cast<size_t>(rank)], job.now_ns(rank));
    }
    return job.judge();
  }
};

// Once behind, it stays so, and nobody loses anything by it.
TEST(OverlappedWork, AccusesNobodyOfOnePauseWhereAllCallsAreAlike) {
  for (const double steps_differ : {0.0, 0.3}) {
    const Judged judged = TwoReductions{2'200 * kUs, 0, steps_differ}.judge();
    EXPECT_TRUE(judged.findings.empty()) << judged.text();
  }
}

TEST(OverlappedWork, NamesWhoTakesLongerInEachStepWhereAllCallsAreAlike) {
  for (const double steps_differ : {0.0, 0.3}) {
    const Judged judged = TwoReductions{0, 2'200 * kUs, steps_differ}.judge();
    ASSERT_EQ(judged.findings.size(), 1u) << judged.text(0) << judged.text(1);
    EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{0});
  }
}

// Pairs of ranks reduce on one stream and all on another, both from when the same work is done: from the start of the one to that
// of the other it is no time, however late a rank comes to both.
TEST(OverlappedWork, CountsLatenessForBothOfTwoOperationsThatBeginAfterTheSameWork) {
  PlayedJob job(4, 2);
  const unsigned pairs[] = {job.communicator({0, 1}), job.communicator({2, 3})};
  std::mt19937_64 random{7};
  for (unsigned step = 0; step < 40; ++step) {
    for (int32_t rank = 0; rank < 4; ++rank) {
      const bool late = rank == 0 && step % 5 == 3;
      job.work(rank, 4 * kMs + (random() >> 11) % (200 * kUs) + (late ? 20 * kMs : 0));
    }
    for (const unsigned pair : pairs)
      job.beside(
          pair, [&](int32_t rank) { return job.now_ns(rank); }, 100 * kUs);
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 2 * kUs);
    job.collective(0);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_NEAR(cost_share(judged.findings[0]), 0.4, 0.1) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
