#include "analysis/pyramid/span_search.h"

#include <limits>

namespace lockstep::analysis {

SpanSearch::SpanSearch(TimeSpans spans) : spans_(std::move(spans)) {
  size_t groups = 1;
  while (groups * kGroup < spans_.size()) groups *= 2;
  last_ends_.assign(2 * groups, std::numeric_limits<int64_t>::min());
  for (size_t i = 0; i < spans_.size(); ++i) {
    int64_t& last = last_ends_[groups + i / kGroup];
    last = std::max(last, spans_[i].to_ns);
  }
  for (size_t node = groups - 1; node > 0; --node)
    last_ends_[node] = std::max(last_ends_[2 * node], last_ends_[2 * node + 1]);
}

}  // namespace lockstep::analysis
