// The dump thread's second look at the records: pairs operations (InFlight), knows the
// communicators, and gives what is done to the sinks. Made only when a sink is wanted; the recorder
// alone does without. Dump thread only, but for set_kinds.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "dumper/feeds/in_flight.h"
#include "dumper/feeds/live_sink.h"
#include "dumper/feeds/peer_waits.h"

namespace lockstep::dumper {

class LiveView : public RecordConsumer {
 public:
  LiveView();
  void add(std::unique_ptr<LiveSink> sink) { sinks_.push_back(std::move(sink)); }
  bool empty() const { return sinks_.empty(); }
  // Any thread: which kinds are being recorded from now on.
  void set_kinds(uint32_t kinds) { kinds_.store(kinds, std::memory_order_relaxed); }

  void take(const Piece& piece, const StringSource& strings) override;
  void end_round(const Round& round) override;

 private:
  void apply_comm(const uint64_t* words, const StringSource& strings);
  void hand_over(const Operation& op, const ChunkClock& clock, const StringSource& strings);

  std::atomic<uint32_t> kinds_{0xffff};
  InFlight in_flight_;
  PeerWaits waits_;
  LiveComms comms_;
  CommFacts unknown_comm_;
  std::vector<std::unique_ptr<LiveSink>> sinks_;
};

}  // namespace lockstep::dumper
