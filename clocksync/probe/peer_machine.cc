#include "clocksync/probe/peer_machine.h"

#include <algorithm>
#include <cmath>

#include "clocksync/probe/second.h"

namespace lockstep::clocksync {
namespace {

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

const char* peer_phase_name(PeerPhase phase) {
  switch (phase) {
    case PeerPhase::Hello:
      return "hello";
    case PeerPhase::Burst:
      return "burst";
    case PeerPhase::Steady:
      return "steady";
    case PeerPhase::Backoff:
      return "backoff";
    case PeerPhase::Suspect:
      return "suspect";
    case PeerPhase::Down:
      return "down";
  }
  return "?";
}

PeerMachine::PeerMachine(const PeerRates& rates, int64_t mono_ns)
    : rates_(rates),
      // Three trains must have had their chance.
      longest_silence_ns_(std::max(kSilenceNs, static_cast<int64_t>(3.5e9 / rates.steady_per_s))),
      entered_ns_(mono_ns),
      heard_ns_(mono_ns),
      next_hello_ns_(mono_ns),
      rate_per_s_(rates.steady_per_s) {}

bool PeerMachine::probing() const {
  return phase_ == PeerPhase::Burst || phase_ == PeerPhase::Steady || phase_ == PeerPhase::Backoff;
}

void PeerMachine::enter(PeerPhase phase, const std::string& reason, int64_t mono_ns) {
  if (phase == phase_) return;
  phase_ = phase;
  reason_ = reason;
  entered_ns_ = mono_ns;
  changed_ = true;
  hellos_ = 0;
  if (phase != PeerPhase::Down) next_hello_ns_ = mono_ns;
}

void PeerMachine::session_proven(int64_t mono_ns) {
  proven_ = true;
  heard_ns_ = mono_ns;
  rate_per_s_ = rates_.steady_per_s;
  best_excess_ns_ = -1;
  enter(PeerPhase::Burst, "session", mono_ns);
}

void PeerMachine::heard(int64_t mono_ns) {
  heard_ns_ = mono_ns;
  if (!proven_) return;
  if (phase_ == PeerPhase::Suspect) enter(PeerPhase::Steady, "heard again", mono_ns);
  if (phase_ == PeerPhase::Down) enter(PeerPhase::Burst, "heard again", mono_ns);
}

void PeerMachine::said_bye(int64_t mono_ns) {
  proven_ = false;
  enter(PeerPhase::Down, "bye", mono_ns);
  next_hello_ns_ = mono_ns + kSecondNs;
}

bool PeerMachine::tick(int64_t mono_ns) {
  const int64_t silence_ns = mono_ns - heard_ns_;
  if (phase_ == PeerPhase::Hello && mono_ns - entered_ns_ >= kGiveUpNs) {
    enter(PeerPhase::Down, "no answer", mono_ns);
  } else if (phase_ == PeerPhase::Burst && mono_ns - entered_ns_ >= kBurstNs) {
    enter(PeerPhase::Steady, "burst done", mono_ns);
  } else if (probing() && silence_ns >= longest_silence_ns_) {
    enter(PeerPhase::Suspect, "silent", mono_ns);
  } else if (phase_ == PeerPhase::Suspect &&
             silence_ns >= longest_silence_ns_ + kGiveUpNs - kSilenceNs) {
    enter(PeerPhase::Down, "silent", mono_ns);
  }
  const bool changed = changed_;
  changed_ = false;
  return changed;
}

void PeerMachine::remember_quality(const PeerQuality& quality, int64_t mono_ns) {
  const int64_t excess_ns = std::max<int64_t>(0, quality.half_width_ns - quality.floor_ns);
  const auto target_ns = std::max<int64_t>(
      kExcessTargetNs,
      static_cast<int64_t>(kExcessTargetShare * static_cast<double>(quality.floor_ns)));
  wants_faster_ =
      (quality.half_width_ns > 0 && excess_ns > target_ns) || quality.purity < kPoorPurity;
  const bool better = best_excess_ns_ < 0 || excess_ns < best_excess_ns_ - best_excess_ns_ / 20;
  if (quality.half_width_ns > 0 && better) {
    best_excess_ns_ = excess_ns;
    improved_ns_ = mono_ns;
  }
}

void PeerMachine::adapt(const PeerQuality& quality, double load_scale, int64_t mono_ns) {
  load_scale_ = load_scale;
  if (phase_ != PeerPhase::Steady && phase_ != PeerPhase::Backoff) return;
  remember_quality(quality, mono_ns);
  const bool no_gain = mono_ns - improved_ns_ >= kNoGainNs;
  const bool raised = rate_per_s_ > rates_.steady_per_s;
  if (raised && no_gain && !quality.peer_wants_faster) {
    rate_per_s_ = std::max(rates_.steady_per_s, rate_per_s_ / 2);
    // Tried and not worth it: leave it for a while, then the path may have changed.
    improved_ns_ = mono_ns;
    hold_until_ns_ = mono_ns + kHoldNs;
    best_excess_ns_ = -1;
  } else if ((wants_faster_ && mono_ns >= hold_until_ns_) || quality.peer_wants_faster) {
    if (!raised) improved_ns_ = mono_ns;
    rate_per_s_ = std::min(rates_.largest_per_s, rate_per_s_ * 2);
  }
  wants_faster_ = wants_faster_ && mono_ns >= hold_until_ns_;
  if (phase_ == PeerPhase::Steady && load_scale < 0.5) {
    enter(PeerPhase::Backoff, "cpu or packet cap", mono_ns);
  } else if (phase_ == PeerPhase::Backoff && load_scale > 0.8) {
    enter(PeerPhase::Steady, "caps allow it", mono_ns);
  }
}

bool PeerMachine::hello_due(int64_t mono_ns) const {
  const bool asking =
      phase_ == PeerPhase::Hello || phase_ == PeerPhase::Suspect || phase_ == PeerPhase::Down;
  return (asking || !proven_) && mono_ns >= next_hello_ns_;
}

void PeerMachine::hello_sent(int64_t mono_ns, double dice) {
  double pause_s = 0.5;
  if (phase_ == PeerPhase::Hello) pause_s = hellos_ < 10 ? 0.25 : 1;
  if (phase_ == PeerPhase::Down)
    pause_s = std::min(kLongestRetryS, std::ldexp(1.0, std::min(hellos_, 6)));
  ++hellos_;
  next_hello_ns_ = mono_ns + static_cast<int64_t>(pause_s * (0.75 + 0.5 * dice) * 1e9);
}

void PeerMachine::ask_again(int64_t mono_ns) {
  proven_ = false;
  next_hello_ns_ = std::min(next_hello_ns_, mono_ns);
}

double PeerMachine::trains_per_s() const {
  if (phase_ == PeerPhase::Burst) {
    return std::max(rates_.steady_per_s, rates_.burst_per_s * load_scale_);
  }
  if (phase_ == PeerPhase::Steady) {
    return std::max(std::min(rates_.steady_per_s, rates_.backoff_per_s), rate_per_s_ * load_scale_);
  }
  return phase_ == PeerPhase::Backoff ? std::min(rates_.steady_per_s, rates_.backoff_per_s) : 0;
}

}  // namespace lockstep::clocksync
