#include "analysis/chance/resample.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace lockstep::analysis {

double share_that_keeps(const std::vector<int64_t>& gains_ns, double least_ns) {
  constexpr int kResamples = 400;
  constexpr size_t kMostBlocks = 200;
  if (gains_ns.empty()) return 0;
  // Neighbours share what befell them, so they stay together: the cube root is the usual length.
  const auto count = static_cast<double>(gains_ns.size());
  const size_t length = std::max(static_cast<size_t>(std::cbrt(count)),
                                 (gains_ns.size() + kMostBlocks - 1) / kMostBlocks);
  std::vector<double> blocks((gains_ns.size() + length - 1) / length);
  for (size_t i = 0; i < gains_ns.size(); ++i)
    blocks[i / length] += static_cast<double>(gains_ns[i]);
  std::mt19937_64 random(1);
  int kept = 0;
  for (int i = 0; i < kResamples; ++i) {
    double sum_ns = 0;
    // Its low bits by hand: distributions differ between standard libraries.
    for (size_t k = 0; k < blocks.size(); ++k) sum_ns += blocks[(random() >> 11) % blocks.size()];
    kept += sum_ns >= least_ns ? 1 : 0;
  }
  return static_cast<double>(kept) / kResamples;
}

}  // namespace lockstep::analysis
