// A job of nothing but all-reduces, in which ranks are late as a test says, and what is said of them.
#pragma once

#include "analysis/say/not_known.h"
#include "test/unit/analysis/whatif/played_pipeline.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {

// Iterations of 4 ms of work and one all-reduce.
inline Judged all_reduces(int32_t ranks, unsigned iterations, const Late& late_ns) {
  PlayedJob job(ranks, ranks);
  Noise noise;
  for (unsigned i = 0; i < iterations; ++i) {
    for (int32_t rank = 0; rank < ranks; ++rank)
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + late_ns(rank, i));
    job.collective(0);
  }
  return job.judge();
}

inline const LateFacts& facts_of(const Judged& judged, size_t finding = 0) {
  return std::get<LateFacts>(judged.findings.at(finding).facts);
}

inline std::vector<int32_t> accused(const Judged& judged) {
  std::vector<int32_t> ranks;
  for (const Finding& finding : judged.findings)
    ranks.insert(ranks.end(), finding.culprits.begin(), finding.culprits.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

inline ptrdiff_t suspicions(const Judged& judged) {
  return std::count_if(judged.not_known.begin(), judged.not_known.end(),
                       [](const NotKnown& gap) { return gap.kind == NotKnownKind::ByChance; });
}

}  // namespace lockstep::analysis
