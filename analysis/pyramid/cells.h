// The buckets of a lane. Levels are four apart: a bucket of level L is 4^L us long, and bucket i of it is
// the run time from i to i + 1 lengths. A cell holds shares of its bucket in 1/65535, rounded, so that
// equal activity gives equal cells wherever it is asked from. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/pyramid/activity.h"

namespace lockstep::analysis {

constexpr int kLevels = 21;  // the coarsest: 4^20 us, twelve days
constexpr uint64_t kWholeShare = 65535;

constexpr int64_t bucket_ns(int level) { return int64_t{1000} << (2 * level); }
// The level of the shortest buckets that are so long or longer; kLevels: there is none.
int level_for(int64_t bucket_ns);

struct Cell {
  uint16_t busy = 0, waiting = 0, caused = 0;
  uint32_t longest_wait_us =
      0;  // of the waits that touch the bucket, at full length; at most 2^32 - 1
};
inline bool operator==(const Cell& a, const Cell& b) {
  return a.busy == b.busy && a.waiting == b.waiting && a.caused == b.caused &&
         a.longest_wait_us == b.longest_wait_us;
}
using Cells = std::vector<Cell>;

// Buckets first, first + 1, ... of that level; in time by the spans that touch them, whatever came before.
Cells cells_of(const Lane& lane, int level, int64_t first, size_t count);

// Four cells as one of the next level. `cells` begins with a bucket whose number is a multiple of four;
// what is missing of the last four counts as nothing.
Cells next_level(const Cells& cells);

}  // namespace lockstep::analysis
