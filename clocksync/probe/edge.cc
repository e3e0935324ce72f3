#include "clocksync/probe/edge.h"

#include <algorithm>

namespace lockstep::clocksync {
namespace {

// Enough for 1.7 s at the highest rate; an anchor's slow edges need little and are many.
constexpr size_t kLogCapacity = 512;
constexpr size_t kSlowLogCapacity = 64;
constexpr int64_t kReceptionReportNs = 250'000'000;

EdgeRates rates_of(const EdgeSetup& setup, bool slow) {
  EdgeRates rates = setup.rates;
  if (slow) rates = {1, 10, 1, 1};
  return rates;
}

}  // namespace

int64_t EdgeSetup::report_patience_ns() const {
  return static_cast<int64_t>(2.5e9 / std::min(1.0, rates.steady_per_s));
}

Edge::Edge(const EdgeSetup& setup, const HostEntry& peer, const Endpoint& address, bool slow,
           int64_t now_ns)
    : machine(rates_of(setup, slow), now_ns),
      sends(slow ? kSlowLogCapacity : kLogCapacity, setup.train_length),
      receptions(slow ? kSlowLogCapacity : kLogCapacity, setup.report_patience_ns()),
      window(setup.window_ns, setup.limits),
      window_start_ns(now_ns),
      setup_(setup),
      log_capacity_(slow ? kSlowLogCapacity : kLogCapacity),
      peer_(peer),
      address_(address),
      hello_send_key_(direction_key(setup.secret, setup.self_id, peer.id, 0, 0)),
      hello_receive_key_(direction_key(setup.secret, peer.id, setup.self_id, 0, 0)) {}

void Edge::move_to(const HostEntry& peer, const Endpoint& address) {
  peer_ = peer;
  address_ = address;
}

void Edge::prove(uint64_t peer_nonce, int64_t now_ns) {
  if (peer_nonce == peer_nonce_) {
    machine.session_confirmed();
    machine.heard(now_ns);
    return;
  }
  peer_nonce_ = peer_nonce;
  send_key_ = direction_key(setup_.secret, setup_.self_id, peer_.id, setup_.self_nonce, peer_nonce);
  receive_key_ =
      direction_key(setup_.secret, peer_.id, setup_.self_id, peer_nonce, setup_.self_nonce);
  replay_ = ReplayWindow();
  receptions = ReceiveLog(log_capacity_, setup_.report_patience_ns());
  totals_at_window = {};
  window.clear();
  machine.session_proven(now_ns);
}

Edge::Verdict Edge::judge(const Arrival& arrival, ProbeCounters* counters) {
  const Packet& packet = *arrival.packet;
  if (packet.type == PacketType::Hello || packet.type == PacketType::HelloAck) {
    return judge_greeting(arrival, counters);
  }
  if (peer_nonce_ == 0 || packet.source_nonce != peer_nonce_) {
    ++counters->stale_session;
    return Verdict::Dropped;
  }
  if (!authentic(receive_key_, arrival.bytes)) {
    ++counters->bad_mac;
    ++rejected.bad_mac;
    return Verdict::Dropped;
  }
  if (!replay_.accept(packet.sequence)) {
    ++counters->replayed;
    ++rejected.replayed;
    receptions.duplicate(arrival.stamp);
    return Verdict::Dropped;
  }
  take_report(packet);
  peer_wants_faster = (packet.flags & kFlagWantsFaster) != 0;
  if (packet.type == PacketType::Bye) {
    machine.said_bye(arrival.now_ns);
    return Verdict::Bye;
  }
  receptions.received(packet, arrival.stamp, arrival.kind);
  machine.heard(arrival.now_ns);
  return Verdict::Probe;
}

Edge::Verdict Edge::judge_greeting(const Arrival& arrival, ProbeCounters* counters) {
  const Packet& packet = *arrival.packet;
  if (!authentic(hello_receive_key_, arrival.bytes)) {
    ++counters->bad_mac;
    ++rejected.bad_mac;
    return Verdict::Dropped;
  }
  if (packet.type == PacketType::Hello) {
    greeted_nonce_ = packet.source_nonce;
    // It may be a recording; only an answer to our own hello proves the session.
    if (packet.source_nonce != peer_nonce_) machine.ask_again(arrival.now_ns);
    return Verdict::Hello;
  }
  if (packet.report_sequence != setup_.self_nonce) {
    ++counters->stale_session;
    return Verdict::Dropped;
  }
  prove(packet.source_nonce, arrival.now_ns);
  return Verdict::HelloAck;
}

void Edge::take_report(const Packet& packet) {
  if (packet.report_kind == StampKind::None) return;
  const RawStamp stamp = {packet.report_raw_ns, packet.report_uncertainty_ns};
  if ((packet.flags & kFlagReportsReception) == 0) {
    receptions.send_stamp(packet.report_sequence, stamp, packet.report_kind);
    return;
  }
  const SentPacket* sent = sends.find(packet.report_sequence);
  if (sent == nullptr) return;
  window.add_outgoing(sent->stamp, stamp, std::min(sent->kind, packet.report_kind));
}

void Edge::put_report(Packet* packet, int64_t now_raw_ns) {
  StampReport report;
  // It takes the place of a send stamp, so not in two trains in a row.
  if (now_raw_ns >= next_reception_report_ns_ && train_ > reception_report_train_ + 1) {
    report = receptions.take_fastest();
    reception_report_train_ = train_;
    next_reception_report_ns_ = now_raw_ns + kReceptionReportNs;
    if (report.kind != StampKind::None) packet->flags |= kFlagReportsReception;
  }
  if (report.kind == StampKind::None) report = sends.take_report();
  // A stamp too uncertain for the field is not worth telling.
  if (report.stamp.uncertainty_ns > UINT16_MAX) report = {};
  packet->report_sequence = report.sequence;
  packet->report_raw_ns = report.stamp.raw_ns;
  packet->report_kind = report.kind;
  packet->report_uncertainty_ns = static_cast<uint16_t>(report.stamp.uncertainty_ns);
}

Packet Edge::blank(PacketType type, int64_t now_raw_ns) const {
  Packet packet;
  packet.type = type;
  packet.job_hash = setup_.job_hash;
  packet.source_id = setup_.self_id;
  packet.destination_id = peer_.id;
  packet.source_nonce = setup_.self_nonce;
  packet.sent_raw_ns = now_raw_ns;
  return packet;
}

void Edge::write_probe(uint8_t index, bool kernel_stamps, int64_t now_raw_ns, PacketBytes* bytes) {
  Packet packet = blank(PacketType::Probe, now_raw_ns);
  packet.sequence = sends.next_sequence();
  packet.train = train_;
  packet.train_index = index;
  packet.train_length = setup_.train_length;
  packet.spacing_us = setup_.spacing_us;
  packet.highest_received = receptions.highest_sequence();
  if (kernel_stamps) packet.flags |= kFlagKernelStamps;
  if (index + 1 == setup_.train_length) packet.flags |= kFlagLastOfTrain;
  if (machine.wants_faster()) packet.flags |= kFlagWantsFaster;
  if (path() == 1) packet.flags |= kFlagSecondPath;
  put_report(&packet, now_raw_ns);
  encode(packet, bytes);
  seal(send_key_, bytes);
  sends.sent(now_raw_ns, kernel_stamps);
}

void Edge::write_hello(PacketBytes* bytes, int64_t now_raw_ns) {
  Packet packet = blank(PacketType::Hello, now_raw_ns);
  packet.report_sequence = peer_nonce_;
  encode(packet, bytes);
  seal(hello_send_key_, bytes);
}

void Edge::write_hello_ack(PacketBytes* bytes, int64_t now_raw_ns) {
  Packet packet = blank(PacketType::HelloAck, now_raw_ns);
  packet.report_sequence = greeted_nonce_;
  encode(packet, bytes);
  seal(hello_send_key_, bytes);
}

void Edge::write_bye(PacketBytes* bytes, int64_t now_raw_ns) {
  Packet packet = blank(PacketType::Bye, now_raw_ns);
  packet.sequence = sends.next_sequence();
  put_report(&packet, now_raw_ns);
  encode(packet, bytes);
  seal(send_key_, bytes);
  sends.sent(now_raw_ns, false);
}

}  // namespace lockstep::clocksync
