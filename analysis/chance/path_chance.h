// How likely noise alone is to give a set of ranks its occasions on the critical path: by what others
// lost there, by what those of the same role did, and by how much of the run the occasions span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// A piece of the critical path that lost about as much as the set typically does.
struct PathLoss {
  size_t place = 0;  // in the path
  uint32_t actor = 0;
  int64_t ns = 0;
};

// Who is compared with whom, by actor. `peers` do the same work as the set, and could be accused instead.
struct Compared {
  std::vector<uint8_t> set, peers;
  size_t set_size = 0, suspects = 0;  // suspects: with the set
};

// unit_of: of each piece of the path, in order, the trial that it lies in (chance.h). 1 where others
// have so many such losses that chance could give the set its own.
double chance_on_path(const std::vector<PathLoss>& losses, const std::vector<uint32_t>& unit_of,
                      const Compared& compared);

}  // namespace lockstep::analysis
