// The life of probing one peer, without sockets: HELLO -> BURST -> STEADY <-> BACKOFF -> SUSPECT ->
// DOWN, and how many trains a second it should send. Time comes in as an argument, so tests can run
// years in a millisecond. Owned by the prober's thread.
//
// It doubles the rate while the interval is wider than the path's own floor explains, or while
// nearly no train keeps its spacing (a busy path: more tries are needed to meet an empty queue),
// and it halves again when five seconds of more packets did not buy a narrower interval.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::clocksync {

enum class PeerPhase { Hello, Burst, Steady, Backoff, Suspect, Down };
const char* peer_phase_name(PeerPhase phase);

struct PeerRates {
  double steady_per_s = 10;
  double burst_per_s = 100;
  double largest_per_s = 100;
  double backoff_per_s = 2;
};

// What the last seconds of packets were worth. half_width 0: not known.
struct PeerQuality {
  int64_t half_width_ns = 0;
  int64_t floor_ns = 0;  // half of the smallest round trip: no probing can beat it
  double purity = 1;
  bool peer_wants_faster = false;
};

class PeerMachine {
 public:
  PeerMachine(const PeerRates& rates, int64_t mono_ns);

  // The peer's session was proven: new (or restarted) peer.
  void session_proven(int64_t mono_ns);
  // The peer answered and it is the session we know.
  void session_confirmed() { proven_ = true; }
  // Any authentic packet.
  void heard(int64_t mono_ns);
  void said_bye(int64_t mono_ns);
  // Moves along with time. True: the phase changed.
  bool tick(int64_t mono_ns);
  // Once a second. load_scale 0..1: what the CPU and packet caps leave of the rate.
  void adapt(const PeerQuality& quality, double load_scale, int64_t mono_ns);

  bool hello_due(int64_t mono_ns) const;
  // dice in [0, 1): spreads the next try, so that a thousand hosts do not return in step.
  void hello_sent(int64_t mono_ns, double dice);
  // The peer seems to have restarted: greet it soon, keep probing meanwhile.
  void ask_again(int64_t mono_ns);

  // 0: send no trains now.
  double trains_per_s() const;
  bool wants_faster() const { return wants_faster_; }
  PeerPhase phase() const { return phase_; }
  const std::string& reason() const { return reason_; }

 private:
  void enter(PeerPhase phase, const std::string& reason, int64_t mono_ns);
  bool probing() const;
  void remember_quality(const PeerQuality& quality, int64_t mono_ns);

  PeerRates rates_;
  int64_t longest_silence_ns_;
  PeerPhase phase_ = PeerPhase::Hello;
  std::string reason_ = "new";
  bool changed_ = true;
  int64_t entered_ns_, heard_ns_, next_hello_ns_;
  int hellos_ = 0;
  bool proven_ = false;
  double rate_per_s_;
  double load_scale_ = 1;
  bool wants_faster_ = false;
  int64_t best_excess_ns_ = -1, improved_ns_ = 0, hold_until_ns_ = 0;
};

}  // namespace lockstep::clocksync
