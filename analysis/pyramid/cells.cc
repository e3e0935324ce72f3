#include "analysis/pyramid/cells.h"

#include <algorithm>
#include <limits>

namespace lockstep::analysis {
namespace {

// Calls visit(bucket, ns) for each bucket that a span touches, and with how much.
template <class Visit>
void spread(const TimeSpan& span, int64_t begin_ns, int64_t length_ns, size_t count, Visit visit) {
  const int64_t end_ns = begin_ns + length_ns * static_cast<int64_t>(count);
  const int64_t from_ns = std::max(span.from_ns, begin_ns);
  const int64_t to_ns = std::min(span.to_ns, end_ns);
  for (int64_t at_ns = from_ns; at_ns < to_ns;) {
    const int64_t bucket = (at_ns - begin_ns) / length_ns;
    const int64_t next_ns = std::min(to_ns, begin_ns + (bucket + 1) * length_ns);
    visit(static_cast<size_t>(bucket), next_ns - at_ns);
    at_ns = next_ns;
  }
}

uint16_t share(int64_t part_ns, int64_t length_ns) {
  // In long double: a bucket of twelve days times 65535 is beyond 64 bits.
  const auto exact = static_cast<long double>(part_ns) * kWholeShare / length_ns;
  return static_cast<uint16_t>(exact + 0.5L);
}

void put_shares(const TimeSpans& spans, int level, int64_t first, uint16_t Cell::*field,
                Cells* cells) {
  const int64_t length_ns = bucket_ns(level), begin_ns = first * length_ns;
  std::vector<int64_t> parts_ns(cells->size());
  // Disjoint and in order: also by their ends.
  auto span = std::lower_bound(spans.begin(), spans.end(), begin_ns,
                               [](const TimeSpan& a, int64_t ns) { return a.to_ns <= ns; });
  const int64_t end_ns = begin_ns + length_ns * static_cast<int64_t>(cells->size());
  for (; span != spans.end() && span->from_ns < end_ns; ++span) {
    spread(*span, begin_ns, length_ns, cells->size(),
           [&](size_t bucket, int64_t ns) { parts_ns[bucket] += ns; });
  }
  for (size_t i = 0; i < parts_ns.size(); ++i) (*cells)[i].*field = share(parts_ns[i], length_ns);
}

uint32_t microseconds(const TimeSpan& wait) {
  const int64_t us = (wait.to_ns - wait.from_ns) / 1000;
  return static_cast<uint32_t>(std::min<int64_t>(us, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

int level_for(int64_t length_ns) {
  int level = 0;
  while (level < kLevels && bucket_ns(level) < length_ns) ++level;
  return level;
}

Cells cells_of(const Lane& lane, int level, int64_t first, size_t count) {
  Cells cells(count);
  put_shares(lane.busy, level, first, &Cell::busy, &cells);
  put_shares(lane.waiting, level, first, &Cell::waiting, &cells);
  put_shares(lane.caused, level, first, &Cell::caused, &cells);
  const int64_t length_ns = bucket_ns(level), begin_ns = first * length_ns;
  const int64_t end_ns = begin_ns + length_ns * static_cast<int64_t>(count);
  lane.waits.each(begin_ns, end_ns, [&](const TimeSpan& wait) {
    spread(wait, begin_ns, length_ns, count, [&](size_t bucket, int64_t) {
      uint32_t& longest = cells[bucket].longest_wait_us;
      longest = std::max(longest, microseconds(wait));
    });
  });
  return cells;
}

Cells next_level(const Cells& cells) {
  Cells next((cells.size() + 3) / 4);
  for (size_t i = 0; i < next.size(); ++i) {
    uint32_t busy = 0, waiting = 0, caused = 0;
    for (size_t k = 4 * i; k < std::min(cells.size(), 4 * i + 4); ++k) {
      busy += cells[k].busy;
      waiting += cells[k].waiting;
      caused += cells[k].caused;
      next[i].longest_wait_us = std::max(next[i].longest_wait_us, cells[k].longest_wait_us);
    }
    const auto mean = [](uint32_t sum) { return static_cast<uint16_t>((sum + 2) / 4); };
    next[i].busy = mean(busy);
    next[i].waiting = mean(waiting);
    next[i].caused = mean(caused);
  }
  return next;
}

}  // namespace lockstep::analysis
