// Everything this host sends: trains of probes to the peers whose turn it is, greetings, answers to
// greetings, goodbyes. Keeps to the load guard's cap on packets. Owned by the prober's thread;
// spins or sleeps only for the gap between the packets of a train.
#pragma once

#include <cstdint>
#include <vector>

#include "clocksync/probe/load_guard.h"
#include "clocksync/probe/peer.h"
#include "clocksync/probe/probe_paths.h"
#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

class PacketSender {
 public:
  // All of them must outlive this.
  PacketSender(const PeerSetup& setup, const ClockSource& clock, ProbePaths* paths,
               LoadGuard* guard)
      : setup_(setup), clock_(clock), paths_(paths), guard_(guard) {}

  // True: a train was due. Trains due soon after it leave with it.
  bool send_due_trains(const Peers& peers, int64_t mono_ns);
  // `to`: where the peer listens, which a greeting of its own may know better than the host list.
  void greet_if_due(Peer* peer, const Endpoint& to, int64_t mono_ns);
  void answer_greeting(Peer* peer, const Endpoint& to, int64_t mono_ns);
  // The last stamps would otherwise never reach the peers.
  void say_goodbye(const Peers& peers);

 private:
  void send_trains(const std::vector<Peer*>& due);

  const PeerSetup& setup_;
  const ClockSource& clock_;
  ProbePaths* const paths_;
  LoadGuard* const guard_;
};

}  // namespace lockstep::clocksync
