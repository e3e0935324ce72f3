#include "analysis/gpu_clock.h"

#include <algorithm>

#include "analysis/tables.h"

namespace lockstep::analysis {

void GpuClock::note(int64_t seen_ns, uint64_t stamp_ns) {
  const int64_t difference = seen_ns - static_cast<int64_t>(stamp_ns);
  const auto [bin, inserted] = least_.emplace(seen_ns / kBinNs, difference);
  if (!inserted) bin->second = std::min(bin->second, difference);
}

int64_t GpuClock::to_host(uint64_t stamp_ns, int64_t seen_ns) const {
  const int64_t bin = seen_ns / kBinNs;
  int64_t least = kNoTime;
  for (auto i = least_.lower_bound(bin - 1); i != least_.end() && i->first <= bin + 1; ++i) {
    least = least == kNoTime ? i->second : std::min(least, i->second);
  }
  return least == kNoTime ? kNoTime : static_cast<int64_t>(stamp_ns) + least;
}

}  // namespace lockstep::analysis
