#include "cli/capture/common_clock.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/clock/align.h"

namespace lockstep::cli {

CommonClock::CommonClock(const std::string& run) {
  analysis::AlignOptions options;
  options.without_collectives = true;
  auto aligned = analysis::align_run(run, options);
  if (aligned.ok()) model_ = std::move(aligned.value().model);
}

std::optional<clocksync::GlobalTime> CommonClock::to_global(const std::string& host,
                                                            int64_t raw_ns) const {
  const clocksync::HostModel* found = model_ ? model_->find(host) : nullptr;
  return found == nullptr || found->knots.empty() ? std::nullopt
                                                  : model_->to_global(*found, raw_ns);
}

std::map<std::string, int64_t> CommonClock::wall_of_hosts(
    int64_t unix_ns, const std::map<std::string, int64_t>& real_offsets) const {
  std::map<std::string, int64_t> walls;
  for (const auto& [host, offset] : real_offsets) walls[host] = unix_ns;
  const auto reference = model_ ? real_offsets.find(model_->reference) : real_offsets.end();
  if (reference == real_offsets.end()) return walls;
  const int64_t wanted_ns = unix_ns - reference->second;
  constexpr int kRounds = 3;  // each takes all but the drift of the last correction away
  for (auto& [host, wall_ns] : walls) {
    int64_t raw_ns = unix_ns - real_offsets.at(host);
    bool known = true;
    for (int i = 0; i < kRounds && known; ++i) {
      const auto global = to_global(host, raw_ns);
      known = global.has_value();
      if (known) raw_ns += wanted_ns - global->ns;
    }
    if (known) wall_ns = raw_ns + real_offsets.at(host);
  }
  return walls;
}

void CommonClock::measure_spread(dumper::Capture* capture) const {
  std::set<std::string> hosts;
  std::vector<std::pair<std::string, int64_t>> starts;
  for (const dumper::CaptureRank& rank : capture->ranks) {
    if (!rank.start_ns) continue;
    hosts.insert(rank.host);
    starts.emplace_back(rank.host, static_cast<int64_t>(*rank.start_ns));
  }
  if (starts.empty()) return;
  std::vector<clocksync::GlobalTime> times;
  for (const auto& [host, raw_ns] : starts) {
    // One host's clock needs no model.
    const auto global = hosts.size() == 1
                            ? std::optional<clocksync::GlobalTime>({raw_ns, raw_ns, raw_ns})
                            : to_global(host, raw_ns);
    if (!global) return;
    times.push_back(*global);
  }
  const auto [first, last] = std::minmax_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
  const auto least_lo = std::min_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.lo_ns < b.lo_ns; });
  const auto most_hi = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.hi_ns < b.hi_ns; });
  const int64_t spread_ns = last->ns - first->ns;
  // What the true spread can be at most, and at least: that of the two that were taken for the ends.
  const int64_t most_ns = most_hi->hi_ns - least_lo->lo_ns;
  const int64_t least_ns = std::max<int64_t>(0, last->lo_ns - first->hi_ns);
  capture->spread_ns = spread_ns;
  capture->spread_bound_ns = std::max(most_ns - spread_ns, spread_ns - least_ns);
}

}  // namespace lockstep::cli
