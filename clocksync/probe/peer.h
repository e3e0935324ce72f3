// One peer of this host: its address, the two sessions and their keys, what was sent and received,
// and when to send what. Judges every authentic-looking packet that names this peer, and hands out
// what is to be recorded about it. Owned by the prober's thread; does no input or output of its
// own, reads no clock, and never answers by itself.
//
// "Peer" is a host that this one exchanges packets with now, by one interface: over two interfaces
// the same host is two peers. An "edge" is the same pair of hosts
// for the solvers (clocksync/solve), which see both hosts' records afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/probe/peer_machine.h"
#include "clocksync/probe/peer_window.h"
#include "clocksync/probe/probe_counters.h"
#include "clocksync/probe/receive_log.h"
#include "clocksync/probe/send_log.h"
#include "clocksync/probe/window_account.h"
#include "clocksync/rendezvous/host_directory.h"
#include "clocksync/wire/packet_auth.h"
#include "clocksync/wire/probe_socket.h"

namespace lockstep::clocksync {

// What is the same for all peers of a prober.
struct PeerSetup {
  uint64_t job_hash = 0;
  uint32_t self_id = 0;
  uint64_t self_nonce = 0;
  SecretKey secret{};
  PeerRates rates;
  TaylorLimits limits;
  int64_t window_ns = 4'000'000'000;
  uint8_t train_length = 3;
  uint16_t spacing_us = 20;

  // Two trains and a half.
  int64_t report_patience_ns() const;
};

// This host's two clocks at one moment: MONOTONIC says when to act, RAW is what is measured.
struct Instant {
  int64_t mono_ns = 0, raw_ns = 0;
};

// A new phase of the peer, as the record that tells it (its time is still 0).
struct PeerChange {
  EdgeState state;
  // Gone without a goodbye. It stays in this phase until it is heard again.
  bool lost = false;
};

// What there is to record about a peer since the last time.
struct PeerNews {
  std::vector<HullBin> bins;
  std::optional<WindowStats> window;
};

// Cheap random numbers that spread hosts over time, so that they do not act in step with each other
// or with the training. Not for secrets: see packet_auth.h.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  // In [0, 1).
  double roll() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

// The interface that leads to a peer.
struct PeerVia {
  uint32_t index = 0;     // of this host's
  std::string interface;  // its name on both hosts; empty: the first of each
};

class Peer {
 public:
  // `setup` must outlive this. `host` with the address that `via` leads to. `slow`: see mesh.h.
  Peer(const PeerSetup& setup, const HostEntry& host, const Endpoint& address, bool slow,
       const Instant& now, PeerVia via = {});

  // What a packet turned out to be, after all checks.
  enum class Verdict { Dropped, Probe, Hello, HelloAck, Bye };
  struct Arrival {
    const Packet* packet;
    const uint8_t* bytes;
    RawStamp stamp;
    StampKind kind;
    int64_t mono_ns;
  };
  Verdict judge(const Arrival& arrival, ProbeCounters* counters);
  // A packet from the peer's address that did not even parse.
  void count_rejected(uint64_t ProbeCounters::*counter) { ++(rejected_.*counter); }
  // When a packet of ours left, by the kernel. False: see SendLog::kernel_stamp.
  bool kernel_stamp(uint64_t sequence, const RawStamp& stamp) {
    return sends_.kernel_stamp(sequence, stamp);
  }

  // When the next train is due on MONOTONIC; INT64_MAX: none now.
  int64_t next_train_mono_ns() const;
  // Starts a train and decides when the next one is due.
  void begin_train(int64_t mono_ns);
  // Which of the two source ports the current train uses.
  int path() const { return static_cast<int>(train_ % 2); }
  // Fills in the next packet of a train and authenticates it; call right before sending it. Returns
  // its number.
  uint64_t write_probe(uint8_t index, bool kernel_stamps, int64_t raw_ns, PacketBytes* bytes);

  bool hello_due(int64_t mono_ns) const { return machine_.hello_due(mono_ns); }
  void hello_sent(int64_t mono_ns) { machine_.hello_sent(mono_ns, dice_.roll()); }
  void write_hello(PacketBytes* bytes, int64_t raw_ns) const;
  // Answers to greetings are spaced out. True: answer now.
  bool take_turn_to_answer(int64_t mono_ns);
  void write_hello_ack(PacketBytes* bytes, int64_t raw_ns) const;
  bool wants_goodbye() const { return session() && machine_.phase() != PeerPhase::Down; }
  // Carries a last stamp to the peer.
  void write_bye(PacketBytes* bytes, int64_t raw_ns);

  // Moves along with time, ten times a second or so.
  std::optional<PeerChange> tick(int64_t mono_ns);
  // Once a second or so: what is to be recorded, and the rate from now on. load_scale 0..1: what
  // the load guard leaves of the rates.
  PeerNews settle(const Instant& now, double load_scale, ProbeCounters* counters);

  // The peer's session was proven.
  bool session() const { return peer_nonce_ != 0; }
  bool probing() const { return machine_.trains_per_s() > 0; }
  const HostEntry& host() const { return host_; }
  const Endpoint& address() const { return address_; }
  const PeerVia& via() const { return via_; }
  void move_to(const HostEntry& host, const Endpoint& address);
  void greet_again(int64_t mono_ns) { machine_.ask_again(mono_ns); }

  // A peer that is no longer in the mesh is kept for a while.
  void leave_at(int64_t mono_ns);
  void stay() { leaves_at_mono_ns_ = 0; }
  bool gone(int64_t mono_ns) const {
    return leaves_at_mono_ns_ != 0 && mono_ns >= leaves_at_mono_ns_;
  }

 private:
  Verdict judge_packet(const Arrival& arrival, ProbeCounters* counters);
  Verdict judge_greeting(const Arrival& arrival, ProbeCounters* counters);
  void prove(uint64_t peer_nonce, int64_t mono_ns);
  void take_report(const Packet& packet);
  void put_report(Packet* packet, int64_t raw_ns);
  Packet blank(PacketType type, int64_t raw_ns) const;
  void plan_next_train(int64_t mono_ns);
  void hurry(double rate_before_per_s, int64_t mono_ns);
  PeerQuality quality(const std::optional<PeerWindow::Estimate>& estimate) const;

  const PeerSetup& setup_;
  const PeerVia via_;
  const SecretKey secret_;
  const size_t log_capacity_;
  HostEntry host_;
  Endpoint address_;
  uint64_t peer_nonce_ = 0;
  uint64_t greeted_nonce_ = 0;  // of the last hello: what our answer must repeat
  SecretKey hello_send_key_, hello_receive_key_, send_key_{}, receive_key_{};
  ReplayWindow replay_;
  Dice dice_;
  PeerMachine machine_;
  SendLog sends_;
  ReceiveLog receptions_;
  PeerWindow window_;
  WindowAccount account_;
  ProbeCounters rejected_;
  uint32_t train_ = 0;
  int64_t next_train_mono_ns_ = 0;
  int64_t answered_mono_ns_ = 0;
  int64_t leaves_at_mono_ns_ = 0;
  int64_t next_reception_report_raw_ns_ = 0;
  uint32_t reception_report_train_ = 0;
  bool peer_wants_faster_ = false;
};

using PeerKey = std::pair<uint32_t, uint32_t>;  // the host's id, this host's interface
using Peers = std::map<PeerKey, std::unique_ptr<Peer>>;

}  // namespace lockstep::clocksync
