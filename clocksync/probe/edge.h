// One peer of this host: its address, the two sessions and their keys, what was sent and received,
// and the state machine that says what to send next. Judges every authentic-looking packet that
// names this peer. Owned by the prober's thread; does no input or output of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "clocksync/probe/edge_machine.h"
#include "clocksync/probe/edge_window.h"
#include "clocksync/probe/probe_counters.h"
#include "clocksync/probe/receive_log.h"
#include "clocksync/probe/send_log.h"
#include "clocksync/rendezvous/host_directory.h"
#include "clocksync/wire/packet_auth.h"
#include "clocksync/wire/probe_socket.h"

namespace lockstep::clocksync {

// What is the same for all edges of a prober.
struct EdgeSetup {
  uint64_t job_hash = 0;
  uint32_t self_id = 0;
  uint64_t self_nonce = 0;
  SecretKey secret{};
  EdgeRates rates;
  TaylorLimits limits;
  int64_t window_ns = 4'000'000'000;
  uint8_t train_length = 3;
  uint16_t spacing_us = 20;

  // Two trains and a half.
  int64_t report_patience_ns() const;
};

class Edge {
 public:
  Edge(const EdgeSetup& setup, const HostEntry& peer, const Endpoint& address, bool slow,
       int64_t now_ns);

  // What a packet turned out to be, after all checks. HelloAckWanted: answer it.
  enum class Verdict { Dropped, Probe, Hello, HelloAck, Bye };
  struct Arrival {
    const Packet* packet;
    const uint8_t* bytes;
    RawStamp stamp;
    StampKind kind;
    int64_t now_ns;
  };
  Verdict judge(const Arrival& arrival, ProbeCounters* counters);

  // Fills in the next packet of a train and authenticates it; call right before sending it.
  void write_probe(uint8_t index, bool kernel_stamps, int64_t now_raw_ns, PacketBytes* bytes);
  void write_hello(PacketBytes* bytes, int64_t now_raw_ns);
  void write_hello_ack(PacketBytes* bytes, int64_t now_raw_ns);
  // Carries a last stamp to the peer.
  void write_bye(PacketBytes* bytes, int64_t now_raw_ns);
  void begin_train() { ++train_; }
  // Which of the two source ports the current train uses.
  int path() const { return static_cast<int>(train_ % 2); }

  bool session() const { return peer_nonce_ != 0; }
  const HostEntry& peer() const { return peer_; }
  const Endpoint& address() const { return address_; }
  void move_to(const HostEntry& peer, const Endpoint& address);

  EdgeMachine machine;
  SendLog sends;
  ReceiveLog receptions;
  EdgeWindow window;
  int64_t next_train_ns = 0;
  int64_t last_ack_ns = 0;
  int64_t leaves_at_ns = 0;  // not 0: no longer in the mesh, removed then
  int64_t window_start_ns;
  uint64_t window_id = 0;
  ReceiveTotals totals_at_window;
  uint64_t sent_at_window = 0;
  ProbeCounters rejected, rejected_at_window;
  bool peer_wants_faster = false;
  bool no_path_told = false;

 private:
  Verdict judge_greeting(const Arrival& arrival, ProbeCounters* counters);
  void prove(uint64_t peer_nonce, int64_t now_ns);
  void take_report(const Packet& packet);
  void put_report(Packet* packet, int64_t now_raw_ns);
  Packet blank(PacketType type, int64_t now_raw_ns) const;

  const EdgeSetup& setup_;
  const size_t log_capacity_;
  HostEntry peer_;
  Endpoint address_;
  uint64_t peer_nonce_ = 0;
  uint64_t greeted_nonce_ = 0;  // of the last hello: what our answer must repeat
  SecretKey hello_send_key_, hello_receive_key_, send_key_{}, receive_key_{};
  ReplayWindow replay_;
  uint32_t train_ = 0;
  int64_t next_reception_report_ns_ = 0;
  uint32_t reception_report_train_ = 0;
};

}  // namespace lockstep::clocksync
