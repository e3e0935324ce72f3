// The prober of one host: the loop that sends trains of packets to the peers in the mesh, reads
// what comes in, and has written what follows from that to `<host>.clock`. One thread calls run();
// only health() may be called from others. It sleeps in ppoll() and reads its sockets lazily (the
// kernel's stamps do not get older by waiting), so it costs little and a flood of packets cannot
// drive it.
//
// Its parts, each owning its own state: Members (who is there), PacketSender and PacketReceiver on
// ProbePaths (the sockets), RecordKeeper (what is written), LoadGuard (how much it may do).
//
// Two clocks: `mono` is CLOCK_MONOTONIC and says when to act, `raw` is CLOCK_MONOTONIC_RAW (or a
// test's virtual clock) and is what stamps and records carry.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "clocksync/probe/clock_sync_health.h"
#include "clocksync/probe/load_guard.h"
#include "clocksync/probe/members.h"
#include "clocksync/probe/packet_receiver.h"
#include "clocksync/probe/packet_sender.h"
#include "clocksync/probe/probe_setup.h"
#include "clocksync/probe/record_keeper.h"

namespace lockstep::clocksync {

class Prober {
 public:
  Prober(const ProbeSetup& setup, const ClockSource& clock,
         std::shared_ptr<HostDirectory> directory, ClockRecordWriter writer,
         std::vector<ProbeSocket> sockets);

  // Until stop_fd becomes readable; then says goodbye and flushes. 50 ms at most after that.
  void run(int stop_fd);
  ClockSyncHealth health() const;

 private:
  void begin();
  void read_sockets(int64_t mono_ns);
  void rest(int64_t until_mono_ns);
  void tick(int64_t mono_ns);
  void flush(int64_t mono_ns);
  void publish_health();
  // True: stop_fd is readable.
  bool wait(int stop_fd);
  void end();

  const ProbeSetup setup_;
  const PeerSetup peer_setup_;
  const ClockSource& clock_;
  ProbeCounters counters_;
  LoadGuard guard_;
  ProbePaths paths_;
  RecordKeeper keeper_;
  Members members_;
  PacketSender sender_;
  PacketReceiver receiver_;
  int64_t rest_until_mono_ns_ = 0;  // the sockets are not looked at before
  int64_t next_tick_mono_ns_ = 0, next_flush_mono_ns_ = 0;

  mutable std::mutex health_mutex_;
  ClockSyncHealth health_;
};

}  // namespace lockstep::clocksync
