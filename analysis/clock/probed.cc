#include "analysis/clock/probed.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace lockstep::analysis {
namespace {

constexpr double kMostLossPercent = 1, kLeastCoveragePercent = 90;
constexpr uint64_t kFewPackets = 100, kShortRunSeconds = 10;

// Without segments the run is as long as anything was heard.
std::pair<int64_t, int64_t> run_of(const ClockInput& input, const RecordedSeconds& recorded,
                                   const std::string& host) {
  const auto known = recorded.find(host);
  if (known != recorded.end() && known->second.first <= known->second.second) return known->second;
  std::pair<int64_t, int64_t> span{INT64_MAX, INT64_MIN};
  for (const auto& [path, heard] : input.heard) {
    if (path.a != host || heard.seconds.empty()) continue;
    span.first = std::min(span.first, *heard.seconds.begin());
    span.second = std::max(span.second, *heard.seconds.rbegin());
  }
  return span;
}

void cover(const std::set<int64_t>& seconds, const std::pair<int64_t, int64_t>& span,
           Probed* probed) {
  if (span.first > span.second) return;
  probed->of_seconds = static_cast<uint64_t>(span.second - span.first + 1);
  probed->heard_seconds = static_cast<uint64_t>(
      std::distance(seconds.lower_bound(span.first), seconds.upper_bound(span.second)));
}

void add(const HeardOfPeer& heard, Probed* probed) {
  probed->windows += heard.windows;
  probed->ok_windows += heard.ok_windows;
  probed->received += heard.received;
  probed->lost += heard.lost;
}

// The first interfaces of two hosts may have names of their own.
std::string interface_name(const ClockInput& input, const ProbedPath& path) {
  if (!path.interface.empty()) return path.interface;
  const auto a = input.hosts.find(path.a), b = input.hosts.find(path.b);
  const std::string of_a = a == input.hosts.end() ? "" : a->second.first_interface;
  const std::string of_b = b == input.hosts.end() ? "" : b->second.first_interface;
  return of_a == of_b || of_b.empty() ? of_a : of_a + "/" + of_b;
}

// What the run was too short for, ", " between them; empty: nothing.
std::string not_measured(const Probed& probed) {
  std::string text;
  const auto add = [&text](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (probed.windows == 0) add("windows (none ended)");
  if (probed.of_seconds < kShortRunSeconds)
    add("coverage (a run of " + std::to_string(probed.of_seconds) + " s)");
  if (probed.received + probed.lost < kFewPackets)
    add("loss (" + std::to_string(probed.received + probed.lost) + " packets)");
  return text;
}

}  // namespace

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", percent);
  return text;
}

double Probed::loss_percent() const {
  const double all = static_cast<double>(received) + static_cast<double>(lost);
  return all == 0 ? 0 : 100 * static_cast<double>(lost) / all;
}

double Probed::coverage_percent() const {
  if (of_seconds == 0) return 0;
  return 100 * static_cast<double>(heard_seconds) / static_cast<double>(of_seconds);
}

Probed probed_edge(const ClockInput& input, const RecordedSeconds& recorded,
                   const ProbedPath& path) {
  Probed both;
  both.interface = interface_name(input, path);
  bool first = true;
  for (const auto& [own, peer] : {std::make_pair(path.a, path.b), std::make_pair(path.b, path.a)}) {
    Probed one;
    const auto heard = input.heard.find({own, peer, path.interface});
    const bool any = heard != input.heard.end();
    if (any) add(heard->second, &both);
    cover(any ? heard->second.seconds : std::set<int64_t>(), run_of(input, recorded, own), &one);
    if (first || one.coverage_percent() < both.coverage_percent()) {
      both.heard_seconds = one.heard_seconds;
      both.of_seconds = one.of_seconds;
    }
    first = false;
  }
  return both;
}

Probed probed_host(const ClockInput& input, const RecordedSeconds& recorded,
                   const std::string& host) {
  std::set<int64_t> seconds;
  std::map<std::string, Probed> best;  // by neighbor
  for (const auto& [path, heard] : input.heard) {
    if (path.a != host) continue;
    seconds.insert(heard.seconds.begin(), heard.seconds.end());
    Probed one;
    add(heard, &one);
    const auto [at, fresh] = best.emplace(path.b, one);
    const Probed& before = at->second;
    if (!fresh && one.received != 0 &&
        (before.received == 0 || one.loss_percent() < before.loss_percent()))
      at->second = one;
  }
  Probed probed;
  for (const auto& [neighbor, one] : best) {
    probed.windows += one.windows;
    probed.ok_windows += one.ok_windows;
    probed.received += one.received;
    probed.lost += one.lost;
  }
  cover(seconds, run_of(input, recorded, host), &probed);
  return probed;
}

void grade_probing(const Probed& probed, Graded* graded) {
  if (probed.received + probed.lost >= kFewPackets && probed.loss_percent() >= kMostLossPercent)
    lower(graded, Grade::Usable, percent_text(probed.loss_percent()) + " of the probes were lost");
  if (probed.of_seconds >= kShortRunSeconds && probed.coverage_percent() < kLeastCoveragePercent)
    lower(graded, Grade::Usable,
          "probes cover " + percent_text(probed.coverage_percent()) + " of the run");
  const std::string missing = not_measured(probed);
  if (!missing.empty() && graded->grade != Grade::Bad)
    lower(graded, Grade::NotKnown, "not measured: " + missing);
}

}  // namespace lockstep::analysis
