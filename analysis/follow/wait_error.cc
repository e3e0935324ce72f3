#include "analysis/follow/wait_error.h"

#include <algorithm>

#include "analysis/tables/collectives.h"

namespace lockstep::analysis {

int64_t wait_error_ns(const RunTables& run, const OwnSegments& own, uint32_t waiting,
                      uint32_t last) {
  const int64_t by_clocks_ns = run.arrivals[waiting].clock_error_ns;
  const Segment &one = own.segments[waiting], &other = own.segments[last];
  if (by_clocks_ns == 0 || !one.end_known || !other.end_known ||
      !ends_together(run.text(run.matches[run.arrivals[waiting].match].func)))
    return by_clocks_ns;
  const int64_t apart_ns = std::max(one.end_ns, other.end_ns) - std::min(one.end_ns, other.end_ns);
  return std::min(by_clocks_ns, apart_ns + std::max<int64_t>(0, other.end_ns - other.start_ns));
}

}  // namespace lockstep::analysis
