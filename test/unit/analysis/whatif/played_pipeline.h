// A pipeline of four stages played at virtual time, and the noise of jobs that are played.
#pragma once

#include <functional>
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {

// 0 to `most`, the same in every run of the test.
class Noise {
 public:
  uint64_t upto(uint64_t most) { return (random_() >> 11) % most; }

 private:
  std::mt19937_64 random_{7};
};

using Late = std::function<uint64_t(int32_t rank, unsigned iteration)>;

// Pipelines: a stage is a list of what it does, one after the other.
struct Move {
  enum class Kind { Work, Send, Receive } kind = Kind::Work;
  int32_t peer = 0;
  uint64_t ns = 0;
};
using Stage = std::vector<Move>;

inline void add_forward(int32_t stage, int32_t stages, uint64_t ns, Stage* moves) {
  if (stage > 0) moves->push_back({Move::Kind::Receive, stage - 1, 0});
  moves->push_back({Move::Kind::Work, 0, ns});
  if (stage + 1 < stages) moves->push_back({Move::Kind::Send, stage + 1, 0});
}
inline void add_backward(int32_t stage, int32_t stages, uint64_t ns, Stage* moves) {
  if (stage + 1 < stages) moves->push_back({Move::Kind::Receive, stage + 1, 0});
  moves->push_back({Move::Kind::Work, 0, 2 * ns});
  if (stage > 0) moves->push_back({Move::Kind::Send, stage - 1, 0});
}

// late_ns: what a stage's forward work takes longer in a step.
inline Judged pipeline(bool one_forward_one_backward, const Late& late_ns) {
  constexpr int32_t kStages = 4, kMicroBatches = 4;
  PlayedJob job(kStages, kStages);
  Noise noise;
  for (unsigned step = 0; step < 11; ++step) {
    std::vector<Stage> stages(kStages);
    for (int32_t stage = 0; stage < kStages; ++stage) {
      const int32_t ahead =
          one_forward_one_backward ? std::min(kStages - stage, kMicroBatches) : kMicroBatches;
      const auto work_ns = [&] { return 2 * kMs + noise.upto(100 * kUs) + late_ns(stage, step); };
      Stage& moves = stages[static_cast<size_t>(stage)];
      for (int32_t i = 0; i < ahead; ++i) add_forward(stage, kStages, work_ns(), &moves);
      for (int32_t i = 0; i < kMicroBatches; ++i) {
        add_backward(stage, kStages, 2 * kMs + noise.upto(100 * kUs), &moves);
        if (ahead + i < kMicroBatches) add_forward(stage, kStages, work_ns(), &moves);
      }
    }
    std::vector<size_t> done(kStages);
    for (bool moved = true; moved;) {
      moved = false;
      for (int32_t rank = 0; rank < kStages; ++rank) {
        const Stage& moves = stages[static_cast<size_t>(rank)];
        size_t& next = done[static_cast<size_t>(rank)];
        for (; next < moves.size(); ++next, moved = true) {
          const Move& move = moves[next];
          if (move.kind == Move::Kind::Receive && !job.can_receive(move.peer, rank)) break;
          if (move.kind == Move::Kind::Receive) job.receive(move.peer, rank);
          if (move.kind == Move::Kind::Send) job.send(rank, move.peer);
          if (move.kind == Move::Kind::Work) job.work(rank, move.ns);
        }
      }
    }
  }
  return job.judge();
}

}  // namespace lockstep::analysis
