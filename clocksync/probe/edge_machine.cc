#include "clocksync/probe/edge_machine.h"

#include <algorithm>
#include <cmath>

namespace lockstep::clocksync {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kBurstNs = 2 * kSecondNs;
constexpr int64_t kSilenceNs = 3 * kSecondNs;  // -> SUSPECT
constexpr int64_t kGiveUpNs = 10 * kSecondNs;  // -> DOWN
constexpr int64_t kNoGainNs = 5 * kSecondNs;
constexpr int64_t kHoldNs = 30 * kSecondNs;
constexpr double kLongestRetryS = 60;
// An interval this much wider than its floor is worth more packets; idle paths stay below
// (docs/measured/prober.md).
constexpr int64_t kExcessTargetNs = 200;
constexpr double kExcessTargetShare = 0.1;
constexpr double kPoorPurity = 0.05;

}  // namespace

const char* edge_phase_name(EdgePhase phase) {
  switch (phase) {
    case EdgePhase::Hello:
      return "hello";
    case EdgePhase::Burst:
      return "burst";
    case EdgePhase::Steady:
      return "steady";
    case EdgePhase::Backoff:
      return "backoff";
    case EdgePhase::Suspect:
      return "suspect";
    case EdgePhase::Down:
      return "down";
  }
  return "?";
}

EdgeMachine::EdgeMachine(const EdgeRates& rates, int64_t now_ns)
    : rates_(rates),
      // Three trains must have had their chance.
      longest_silence_ns_(std::max(kSilenceNs, static_cast<int64_t>(3.5e9 / rates.steady_per_s))),
      entered_ns_(now_ns),
      heard_ns_(now_ns),
      next_hello_ns_(now_ns),
      rate_per_s_(rates.steady_per_s) {}

bool EdgeMachine::probing() const {
  return phase_ == EdgePhase::Burst || phase_ == EdgePhase::Steady || phase_ == EdgePhase::Backoff;
}

void EdgeMachine::enter(EdgePhase phase, const std::string& reason, int64_t now_ns) {
  if (phase == phase_) return;
  phase_ = phase;
  reason_ = reason;
  entered_ns_ = now_ns;
  changed_ = true;
  hellos_ = 0;
  if (phase != EdgePhase::Down) next_hello_ns_ = now_ns;
}

void EdgeMachine::session_proven(int64_t now_ns) {
  proven_ = true;
  heard_ns_ = now_ns;
  rate_per_s_ = rates_.steady_per_s;
  best_excess_ns_ = -1;
  enter(EdgePhase::Burst, "session", now_ns);
}

void EdgeMachine::heard(int64_t now_ns) {
  heard_ns_ = now_ns;
  if (!proven_) return;
  if (phase_ == EdgePhase::Suspect) enter(EdgePhase::Steady, "heard again", now_ns);
  if (phase_ == EdgePhase::Down) enter(EdgePhase::Burst, "heard again", now_ns);
}

void EdgeMachine::said_bye(int64_t now_ns) {
  proven_ = false;
  enter(EdgePhase::Down, "bye", now_ns);
  next_hello_ns_ = now_ns + kSecondNs;
}

bool EdgeMachine::tick(int64_t now_ns) {
  const int64_t silence_ns = now_ns - heard_ns_;
  if (phase_ == EdgePhase::Hello && now_ns - entered_ns_ >= kGiveUpNs) {
    enter(EdgePhase::Down, "no answer", now_ns);
  } else if (phase_ == EdgePhase::Burst && now_ns - entered_ns_ >= kBurstNs) {
    enter(EdgePhase::Steady, "burst done", now_ns);
  } else if (probing() && silence_ns >= longest_silence_ns_) {
    enter(EdgePhase::Suspect, "silent", now_ns);
  } else if (phase_ == EdgePhase::Suspect &&
             silence_ns >= longest_silence_ns_ + kGiveUpNs - kSilenceNs) {
    enter(EdgePhase::Down, "silent", now_ns);
  }
  const bool changed = changed_;
  changed_ = false;
  return changed;
}

void EdgeMachine::remember_quality(const EdgeQuality& quality, int64_t now_ns) {
  const int64_t excess_ns = std::max<int64_t>(0, quality.half_width_ns - quality.floor_ns);
  const auto target_ns = std::max<int64_t>(
      kExcessTargetNs,
      static_cast<int64_t>(kExcessTargetShare * static_cast<double>(quality.floor_ns)));
  wants_faster_ =
      (quality.half_width_ns > 0 && excess_ns > target_ns) || quality.purity < kPoorPurity;
  const bool better = best_excess_ns_ < 0 || excess_ns < best_excess_ns_ - best_excess_ns_ / 20;
  if (quality.half_width_ns > 0 && better) {
    best_excess_ns_ = excess_ns;
    improved_ns_ = now_ns;
  }
}

void EdgeMachine::adapt(const EdgeQuality& quality, double load_scale, int64_t now_ns) {
  load_scale_ = load_scale;
  if (phase_ != EdgePhase::Steady && phase_ != EdgePhase::Backoff) return;
  remember_quality(quality, now_ns);
  const bool no_gain = now_ns - improved_ns_ >= kNoGainNs;
  const bool raised = rate_per_s_ > rates_.steady_per_s;
  if (raised && no_gain && !quality.peer_wants_faster) {
    rate_per_s_ = std::max(rates_.steady_per_s, rate_per_s_ / 2);
    // Tried and not worth it: leave it for a while, then the path may have changed.
    improved_ns_ = now_ns;
    hold_until_ns_ = now_ns + kHoldNs;
    best_excess_ns_ = -1;
  } else if ((wants_faster_ && now_ns >= hold_until_ns_) || quality.peer_wants_faster) {
    if (!raised) improved_ns_ = now_ns;
    rate_per_s_ = std::min(rates_.largest_per_s, rate_per_s_ * 2);
  }
  wants_faster_ = wants_faster_ && now_ns >= hold_until_ns_;
  if (phase_ == EdgePhase::Steady && load_scale < 0.5) {
    enter(EdgePhase::Backoff, "cpu or packet cap", now_ns);
  } else if (phase_ == EdgePhase::Backoff && load_scale > 0.8) {
    enter(EdgePhase::Steady, "caps allow it", now_ns);
  }
}

bool EdgeMachine::hello_due(int64_t now_ns) const {
  const bool asking =
      phase_ == EdgePhase::Hello || phase_ == EdgePhase::Suspect || phase_ == EdgePhase::Down;
  return (asking || !proven_) && now_ns >= next_hello_ns_;
}

void EdgeMachine::hello_sent(int64_t now_ns, double dice) {
  double pause_s = 0.5;
  if (phase_ == EdgePhase::Hello) pause_s = hellos_ < 10 ? 0.25 : 1;
  if (phase_ == EdgePhase::Down)
    pause_s = std::min(kLongestRetryS, std::ldexp(1.0, std::min(hellos_, 6)));
  ++hellos_;
  next_hello_ns_ = now_ns + static_cast<int64_t>(pause_s * (0.75 + 0.5 * dice) * 1e9);
}

void EdgeMachine::ask_again(int64_t now_ns) {
  proven_ = false;
  next_hello_ns_ = std::min(next_hello_ns_, now_ns);
}

double EdgeMachine::trains_per_s() const {
  if (phase_ == EdgePhase::Burst) {
    return std::max(rates_.steady_per_s, rates_.burst_per_s * load_scale_);
  }
  if (phase_ == EdgePhase::Steady) {
    return std::max(std::min(rates_.steady_per_s, rates_.backoff_per_s), rate_per_s_ * load_scale_);
  }
  return phase_ == EdgePhase::Backoff ? std::min(rates_.steady_per_s, rates_.backoff_per_s) : 0;
}

}  // namespace lockstep::clocksync
