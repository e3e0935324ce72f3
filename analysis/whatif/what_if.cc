#include "analysis/whatif/what_if.h"

#include <algorithm>
#include <limits>

#include "analysis/follow/wait_error.h"

namespace lockstep::analysis {

// Only starts are replayed, in the order in which they were observed: all that a start depends on
// started before it.
WhatIf::WhatIf(const RunTables& run, const OwnSegments& own, const std::vector<int64_t>& excess_ns)
    : run_(run),
      own_(own),
      excess_ns_(excess_ns),
      order_(own.order),
      start_ns_(own.segments.size()),
      last_start_ns_(own.last_start_ns),
      starts_so_far_ns_(own.segments.size()),
      launch_ns_(own.launch_begin.size(), kNoTime),
      time_(own.after_set_up()) {
  const auto& segments = own.segments;
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return segments[a].start_ns != segments[b].start_ns
               ? segments[a].start_ns < segments[b].start_ns
               : a < b;
  });
  for (const uint32_t a : order_) {
    if (segments[a].waits_for_launch) last_start_of_launch(segments[a].launch);
  }
  launch_observed_ns_ = launch_ns_;
  keep_starts();
}

void WhatIf::keep_starts() {
  starts_.reserve(order_.size());
  ends_.resize(own_.segments.size());
  for (const uint32_t a : order_) {
    const Segment& segment = own_.segments[a];
    starts_.push_back({segment.start_ns, segment.own_ns, a, segment.before, run_.arrivals[a].match,
                       segment.actor});
    ends_[a] = end_in(a);
    if (ends_[a].base == Base::StartsSoFar) held_.emplace_back(segment.held_by, a);
  }
  std::sort(held_.begin(), held_.end());
}

// As it was observed.
WhatIf::End WhatIf::end_in(uint32_t arrival) const {
  const Segment& segment = own_.segments[arrival];
  const uint32_t match = run_.arrivals[arrival].match;
  if (segment.waits_for_launch)
    return {segment.end_ns - launch_observed_ns_[segment.launch], segment.launch,
            Base::LastStartOfLaunch};
  if (segment.waits) return {segment.end_ns - own_.last_start_ns[match], match, Base::LastStart};
  if (segment.held_by != kNoRow) return end_held(arrival);
  return {segment.end_ns - segment.start_ns, arrival, Base::OwnStart};
}

WhatIf::End WhatIf::end_held(uint32_t arrival) const {
  const Segment& segment = own_.segments[arrival];
  End end;
  end.after_ns = segment.end_ns - own_.segments[segment.held_by].start_ns;
  end.of = segment.held_by;
  end.by_itself_ns = segment.by_itself_ns;
  end.base = Base::StartsSoFar;
  return end;
}

// All that it waits for has begun when it has ended: so it is asked for only then.
int64_t WhatIf::last_start_of_launch(uint32_t launch) {
  int64_t& last_ns = launch_ns_[launch];
  if (last_ns != kNoTime) return last_ns;
  for (uint32_t i = own_.launch_begin[launch]; i < own_.launch_begin[launch + 1]; ++i) {
    const uint32_t a = own_.order[i];
    if (own_.segments[a].waits) last_ns = std::max(last_ns, last_start_ns_[run_.arrivals[a].match]);
  }
  return last_ns;
}

int64_t WhatIf::end_of(uint32_t arrival) {
  const End& end = ends_[arrival];
  const int64_t after_ns = end.after_ns - (saved_ns_ != nullptr ? (*saved_ns_)[arrival] : 0);
  if (end.base == Base::LastStart) return last_start_ns_[end.of] + after_ns;
  if (end.base == Base::OwnStart) return start_ns_[end.of] + after_ns;
  if (end.base == Base::StartsSoFar)
    return std::max(start_ns_[arrival] + end.by_itself_ns, starts_so_far_ns_[end.of] + after_ns);
  return last_start_of_launch(end.of) + after_ns;
}

void WhatIf::replay(const std::vector<uint8_t>& cured) {
  std::fill(last_start_ns_.begin(), last_start_ns_.end(), std::numeric_limits<int64_t>::min());
  std::fill(launch_ns_.begin(), launch_ns_.end(), kNoTime);
  for (const Start& one : starts_) {
    int64_t start_ns = one.start_ns;
    if (one.before != kNoRow) start_ns = end_of(one.before) + one.own_ns;
    if (cured[one.actor] != 0) start_ns -= excess_ns_[one.arrival];
    start_ns_[one.arrival] = start_ns;
    int64_t& last = last_start_ns_[one.match];
    last = std::max(last, start_ns);
    starts_so_far_ns_[one.arrival] = last;
  }
}

int64_t WhatIf::gain_ns(const std::vector<uint8_t>& cured) {
  replay(cured);
  int64_t end_ns = std::numeric_limits<int64_t>::min();
  for (const uint32_t a : order_) end_ns = std::max(end_ns, end_of(a));
  return order_.empty() ? 0 : time_.last_ns - end_ns;
}

int64_t WhatIf::gain_of_transfers_ns(const std::vector<int64_t>& saved_ns) {
  saved_ns_ = &saved_ns;
  const int64_t gain_ns = this->gain_ns(std::vector<uint8_t>(own_.actors.size(), 0));
  saved_ns_ = nullptr;
  return gain_ns;
}

int64_t WhatIf::waited_for(uint32_t arrival) const {
  const MatchRow& match = run_.matches[run_.arrivals[arrival].match];
  int64_t longest_ns = 0;
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    if (own_.segments[a].waits && own_.segments[a].actor != own_.segments[arrival].actor)
      longest_ns = std::max(
          longest_ns, start_ns_[arrival] - start_ns_[a] - wait_error_ns(run_, own_, a, arrival));
  }
  for (auto held = std::lower_bound(held_.begin(), held_.end(), std::make_pair(arrival, 0u));
       held != held_.end() && held->first == arrival; ++held) {
    const uint32_t a = held->second;
    longest_ns = std::max(longest_ns, start_ns_[arrival] - start_ns_[a] - ends_[a].by_itself_ns -
                                          run_.arrivals[a].clock_error_ns);
  }
  return longest_ns;
}

// In any operation of its launch: who sends and receives in one group lets the receiver of its send wait.
int64_t WhatIf::waited_for_launch(uint32_t arrival) const {
  const uint32_t launch = own_.segments[arrival].launch;
  int64_t longest_ns = 0;
  for (uint32_t i = own_.launch_begin[launch]; i < own_.launch_begin[launch + 1]; ++i)
    longest_ns = std::max(longest_ns, waited_for(own_.order[i]));
  return longest_ns;
}

// Of the members of its match that had started by then, as it was observed, whose replayed start is last.
void WhatIf::look_at_members(uint32_t arrival, int64_t until_ns, uint32_t* last) const {
  const MatchRow& match = run_.matches[run_.arrivals[arrival].match];
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    if (own_.segments[a].actor != kNoRow && own_.segments[a].start_ns <= until_ns &&
        start_ns_[a] > start_ns_[*last])
      *last = a;
  }
}

uint32_t WhatIf::waited_for_whom(uint32_t arrival) {
  const Segment& segment = own_.segments[arrival];
  const End& end = ends_[arrival];
  constexpr int64_t kAnyTime = std::numeric_limits<int64_t>::max();
  uint32_t last = arrival;
  if (end.base == Base::StartsSoFar) {
    if (end_of(arrival) > start_ns_[arrival] + end.by_itself_ns)
      look_at_members(end.of, own_.segments[end.of].start_ns, &last);
    return last;
  }
  if (segment.waits) look_at_members(arrival, kAnyTime, &last);
  if (!segment.waits_for_launch) return last;
  for (uint32_t i = own_.launch_begin[segment.launch]; i < own_.launch_begin[segment.launch + 1];
       ++i) {
    if (own_.segments[own_.order[i]].waits) look_at_members(own_.order[i], kAnyTime, &last);
  }
  return last;
}

std::vector<PathPiece> WhatIf::critical_path(const std::vector<uint8_t>& cured) {
  replay(cured);
  std::vector<PathPiece> path;
  uint32_t at = kNoRow;
  for (const uint32_t a : order_) {
    if (at == kNoRow || end_of(a) > end_of(at)) at = a;
  }
  while (at != kNoRow) {
    at = waited_for_whom(at);
    const uint32_t before = own_.segments[at].before;
    if (before != kNoRow || excess_ns_[at] > 0)
      path.push_back({at, is_cured(at, cured) ? 0 : excess_ns_[at], waited_for_launch(at)});
    at = before;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace lockstep::analysis
