// Everything that comes in: reads the sockets, puts the kernel's stamps on this host's clock, and
// gives each packet to the peer it claims to come from. Nothing is answered that is not authentic,
// and an answer is never larger than the question. Sits out floods by looking rarely. Owned by the
// prober's thread.
#pragma once

#include <cstdint>

#include "clocksync/probe/load_guard.h"
#include "clocksync/probe/members.h"
#include "clocksync/probe/packet_sender.h"
#include "clocksync/probe/probe_counters.h"
#include "clocksync/probe/probe_paths.h"
#include "clocksync/wire/stamp_converter.h"

namespace lockstep::clocksync {

class PacketReceiver {
 public:
  // All of them must outlive this.
  struct Parts {
    const PeerSetup& setup;
    const ClockSource& clock;
    Members* members;
    ProbePaths* paths;
    PacketSender* sender;
    LoadGuard* guard;
    ProbeCounters* counters;
  };
  explicit PacketReceiver(const Parts& parts) : parts_(parts), converter_(parts.clock) {}

  struct Look {
    // How long the sockets may be left alone now.
    int64_t rest_ns = 0;
    // CLOCK_REALTIME jumped: the kernel's stamps since the last look were dropped.
    bool realtime_stepped = false;
  };
  Look look(int64_t mono_ns);
  // Lets everything in again when a flood is over.
  void tick(int64_t mono_ns);

 private:
  void take_sent_stamp(const SentStamp& sent);
  void take(const Datagram& datagram, int64_t mono_ns);
  void count_fault(ParseFault fault, const Datagram& datagram);
  Peer* peer_of(const Packet& packet, const Datagram& datagram, int64_t mono_ns);
  void judge(const Packet& packet, const Datagram& datagram, int64_t mono_ns, Peer* peer);

  const Parts parts_;
  StampConverter converter_;
  ProbePaths::Arrivals arrivals_;
};

}  // namespace lockstep::clocksync
