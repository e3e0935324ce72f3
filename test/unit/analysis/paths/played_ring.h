// A ring whose data moves step by step by its own rules, with edges, ranks or hosts that are slow.
#pragma once

#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {

constexpr unsigned kTimes = 30;

struct Ring {
  explicit Ring(size_t ranks)
      : link_ns(ranks, 100 * kUs), receiver_ns(ranks, kUs), gpu_ns(ranks, kUs) {}
  std::vector<uint64_t> link_ns;      // a step takes from each rank to the next
  std::vector<uint64_t> receiver_ns;  // and at its receiver's proxy thread
  std::vector<uint64_t> gpu_ns;       // to fill or empty a buffer
  unsigned steps = 0;                 // recorded of each operation
  std::vector<int32_t> rank_at;       // by place in the ring; empty: the places are the ranks
};

// Eight ranks whose network steps are recorded; over links that are fast, or all but one.
inline Ring ring_of_eight(bool slow_link) {
  Ring ring(8);
  ring.steps = 28;
  ring.link_ns.assign(8, 50 * kUs);
  if (slow_link) ring.link_ns[1] = 300 * kUs;
  return ring;
}

// When each rank has sent and received its last step, since the beginning.
struct Ends {
  std::vector<uint64_t> sent_ns, received_ns;
};

// An all-reduce of two slices: a rank sends what it received two steps before.
inline Ends play(const Ring& ring) {
  const size_t ranks = ring.link_ns.size(), steps = 4 * (ranks - 1);
  std::vector<std::vector<uint64_t>> arrived(ranks, std::vector<uint64_t>(steps));
  std::vector<uint64_t> filled(ranks);
  const auto taken = [&](size_t edge, size_t step) {
    const size_t rank = (edge + 1) % ranks;
    return arrived[edge][step] + ring.receiver_ns[rank] + ring.gpu_ns[rank];
  };
  for (size_t step = 0; step < steps; ++step) {
    for (size_t edge = 0; edge < ranks; ++edge) {
      const uint64_t input = step < 2 ? 0 : taken((edge + ranks - 1) % ranks, step - 2);
      const uint64_t free = step < 1 ? 0 : arrived[edge][step - 1];
      filled[edge] = std::max(input, filled[edge]) + ring.gpu_ns[edge];
      arrived[edge][step] = std::max(filled[edge], free) + ring.link_ns[edge];
    }
  }
  Ends ends;
  for (size_t rank = 0; rank < ranks; ++rank) {
    ends.sent_ns.push_back(arrived[rank][steps - 1]);
    ends.received_ns.push_back(taken((rank + ranks - 1) % ranks, steps - 1));
  }
  return ends;
}

// In the operations [from, until) it is `ring`, else one without any fault. Ranks start `late_ns` apart in
// every second operation: a rank of the number `late` does.
struct Course {
  unsigned from = 0, until = kTimes;
  int32_t late = -1;
  uint64_t late_ns = 0;
  unsigned times = kTimes;  // operations in all,
  unsigned sizes = 1;       // of so many sizes, in turn
};

// `ends_of` tells when the ranks are done in an operation, since it began.
template <class EndsOf>
Judged judge_ends(const Ring& ring, int32_t per_host, const Course& course, const EndsOf& ends_of) {
  return diagnose_hosts(
      static_cast<int32_t>(ring.link_ns.size()), per_host, course.times,
      [&](int32_t rank, unsigned i) {
        const auto self = static_cast<size_t>(rank);
        const Ends& ends = ends_of(i);
        const uint64_t begun_late_ns = i % 2 == 1 ? course.late_ns : 0;
        driver::RankOperation op;
        size_t place = self;
        if (!ring.rank_at.empty()) {
          const size_t ranks = ring.rank_at.size();
          const auto at = std::find(ring.rank_at.begin(), ring.rank_at.end(), rank);
          place = static_cast<size_t>(at - ring.rank_at.begin());
          op.next = ring.rank_at[(place + 1) % ranks];
          op.previous = ring.rank_at[(place + ranks - 1) % ranks];
        }
        op.count *= 1 + i % course.sizes;
        op.steps = ring.steps;
        op.network_ns = ring.link_ns[place];
        op.sequence = i;
        op.channels = 1;
        op.call_ns = 2'000 * kMs + i * 10 * kMs + (rank == course.late ? begun_late_ns : 0);
        op.kernel_ns = op.call_ns + 10 * kUs;
        const uint64_t begun_ns = 2'000 * kMs + i * 10 * kMs + 10 * kUs + begun_late_ns;
        // Times scatter by a little, and differently for each rank.
        const uint64_t scatter = (i * 7 + static_cast<unsigned>(rank) * 3) % 5 * 100;
        op.sent_ns = begun_ns + ends.sent_ns[place] + scatter;
        op.received_ns = begun_ns + ends.received_ns[place] + scatter;
        op.finish_ns = op.received_ns;
        return op;
      });
}

inline Judged judge_ring(const Ring& ring, int32_t per_host, const Course& course = {}) {
  const Ends slow = play(ring), healthy = play(Ring(ring.link_ns.size()));
  return judge_ends(ring, per_host, course, [&](unsigned i) -> const Ends& {
    return i >= course.from && i < course.until ? slow : healthy;
  });
}

}  // namespace lockstep::analysis
