#include "clocksync/probe/peer.h"

#include <algorithm>

namespace lockstep::clocksync {
namespace {

// Enough for 1.7 s at the highest rate; an anchor's slow edges need little and are many.
constexpr size_t kLogCapacity = 512;
constexpr size_t kSlowLogCapacity = 64;
constexpr int64_t kReceptionReportNs = 250'000'000;
constexpr int64_t kAnswerPauseNs = 50'000'000;
// With fewer the interval is wide because the window is young, not because the path is busy.
constexpr uint64_t kPairsToJudge = 8;

PeerRates rates_of(const PeerSetup& setup, bool slow) {
  PeerRates rates = setup.rates;
  if (slow) rates = {1, 10, 1, 1};
  return rates;
}

}  // namespace

int64_t PeerSetup::report_patience_ns() const {
  return static_cast<int64_t>(2.5e9 / std::min(1.0, rates.steady_per_s));
}

Peer::Peer(const PeerSetup& setup, const HostEntry& host, const Endpoint& address, bool slow,
           const Instant& now, PeerVia via)
    : setup_(setup),
      via_(std::move(via)),
      secret_(interface_secret(setup.secret, via_.interface)),
      log_capacity_(slow ? kSlowLogCapacity : kLogCapacity),
      host_(host),
      address_(address),
      hello_send_key_(direction_key(secret_, setup.self_id, host.id, 0, 0)),
      hello_receive_key_(direction_key(secret_, host.id, setup.self_id, 0, 0)),
      dice_(setup.self_nonce ^ host.id ^ uint64_t{via_.index} << 32),
      machine_(rates_of(setup, slow), now.mono_ns),
      sends_(log_capacity_, setup.train_length),
      receptions_(log_capacity_, setup.report_patience_ns()),
      window_(setup.window_ns, setup.limits),
      account_(now.raw_ns) {}

void Peer::move_to(const HostEntry& host, const Endpoint& address) {
  host_ = host;
  address_ = address;
}

void Peer::leave_at(int64_t mono_ns) {
  if (leaves_at_mono_ns_ == 0) leaves_at_mono_ns_ = mono_ns;
}

int64_t Peer::next_train_mono_ns() const {
  return session() && probing() ? next_train_mono_ns_ : INT64_MAX;
}

void Peer::plan_next_train(int64_t mono_ns) {
  const double rate_per_s = machine_.trains_per_s();
  if (rate_per_s <= 0) return;
  // +-10 %: a fixed cadence would meet the same phase of every training step.
  const double pause_ns = 1e9 / rate_per_s * (0.9 + 0.2 * dice_.roll());
  next_train_mono_ns_ = mono_ns + static_cast<int64_t>(pause_ns);
}

// A rate that went up counts from now, not from the end of the old pause.
void Peer::hurry(double rate_before_per_s, int64_t mono_ns) {
  if (machine_.trains_per_s() > rate_before_per_s) plan_next_train(mono_ns);
}

void Peer::begin_train(int64_t mono_ns) {
  ++train_;
  plan_next_train(mono_ns);
}

std::optional<PeerChange> Peer::tick(int64_t mono_ns) {
  const double rate_before_per_s = machine_.trains_per_s();
  const bool changed = machine_.tick(mono_ns);
  hurry(rate_before_per_s, mono_ns);
  if (!changed) return std::nullopt;
  const PeerPhase phase = machine_.phase();
  PeerChange change;
  change.state = {0,
                  host_.name,
                  peer_phase_name(phase),
                  machine_.reason(),
                  machine_.trains_per_s(),
                  via_.interface};
  change.lost = phase == PeerPhase::Down && machine_.reason() != "bye";
  return change;
}

PeerQuality Peer::quality(const std::optional<PeerWindow::Estimate>& estimate) const {
  PeerQuality quality;
  if (estimate && !account_.first() && estimate->pairs >= kPairsToJudge) {
    quality.half_width_ns = estimate->centre.width_ns() / 2;
    quality.floor_ns = estimate->min_rtt_ns / 2;
  }
  quality.purity = receptions_.totals().purity();
  quality.peer_wants_faster = peer_wants_faster_;
  return quality;
}

PeerNews Peer::settle(const Instant& now, double load_scale, ProbeCounters* counters) {
  PeerNews news;
  receptions_.expire(now.raw_ns);
  counters->tx_stamp_missing += sends_.take_missing(now.raw_ns);
  const bool any_points = receptions_.points() > 0;
  news.bins = receptions_.take_bins(host_.name, now.raw_ns);
  for (HullBin& bin : news.bins) {
    bin.interface = via_.interface;
    counters->points += bin.points.size();
    for (const HullPoint& point : bin.points) window_.add_incoming(point);
  }
  window_.forget_before(now.raw_ns - setup_.window_ns);
  const bool window_over = account_.age_ns(now.raw_ns) >= setup_.window_ns;
  if (!session() || (!any_points && !window_over)) return news;
  const auto estimate = window_.estimate(now.raw_ns);
  const double rate_before_per_s = machine_.trains_per_s();
  machine_.adapt(quality(estimate), load_scale, now.mono_ns);
  hurry(rate_before_per_s, now.mono_ns);
  if (window_over) {
    const PeerTotals totals = {receptions_.totals(), sends_.last_sequence(), rejected_};
    news.window = account_.close(totals, estimate, load_scale < 0.5, now.raw_ns);
    news.window->peer = host_.name;
    news.window->interface = via_.interface;
  }
  return news;
}

void Peer::prove(uint64_t peer_nonce, int64_t mono_ns) {
  if (peer_nonce == peer_nonce_) {
    machine_.session_confirmed();
    machine_.heard(mono_ns);
    return;
  }
  peer_nonce_ = peer_nonce;
  send_key_ = direction_key(secret_, setup_.self_id, host_.id, setup_.self_nonce, peer_nonce);
  receive_key_ = direction_key(secret_, host_.id, setup_.self_id, peer_nonce, setup_.self_nonce);
  replay_ = ReplayWindow();
  receptions_ = ReceiveLog(log_capacity_, setup_.report_patience_ns());
  account_.session_began();
  window_.clear();
  machine_.session_proven(mono_ns);
}

Peer::Verdict Peer::judge(const Arrival& arrival, ProbeCounters* counters) {
  const double rate_before_per_s = machine_.trains_per_s();
  const Verdict verdict = judge_packet(arrival, counters);
  hurry(rate_before_per_s, arrival.mono_ns);
  return verdict;
}

bool Peer::take_turn_to_answer(int64_t mono_ns) {
  if (mono_ns - answered_mono_ns_ < kAnswerPauseNs) return false;
  answered_mono_ns_ = mono_ns;
  return true;
}

Peer::Verdict Peer::judge_packet(const Arrival& arrival, ProbeCounters* counters) {
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
    ++rejected_.bad_mac;
    return Verdict::Dropped;
  }
  if (!replay_.accept(packet.sequence)) {
    ++counters->replayed;
    ++rejected_.replayed;
    receptions_.duplicate(arrival.stamp);
    return Verdict::Dropped;
  }
  take_report(packet);
  peer_wants_faster_ = (packet.flags & kFlagWantsFaster) != 0;
  if (packet.type == PacketType::Bye) {
    machine_.said_bye(arrival.mono_ns);
    return Verdict::Bye;
  }
  receptions_.received(packet, arrival.stamp, arrival.kind);
  machine_.heard(arrival.mono_ns);
  return Verdict::Probe;
}

Peer::Verdict Peer::judge_greeting(const Arrival& arrival, ProbeCounters* counters) {
  const Packet& packet = *arrival.packet;
  if (!authentic(hello_receive_key_, arrival.bytes)) {
    ++counters->bad_mac;
    ++rejected_.bad_mac;
    return Verdict::Dropped;
  }
  if (packet.type == PacketType::Hello) {
    greeted_nonce_ = packet.source_nonce;
    // It may be a recording; only an answer to our own hello proves the session.
    if (packet.source_nonce != peer_nonce_) machine_.ask_again(arrival.mono_ns);
    return Verdict::Hello;
  }
  if (packet.report_sequence != setup_.self_nonce) {
    ++counters->stale_session;
    return Verdict::Dropped;
  }
  prove(packet.source_nonce, arrival.mono_ns);
  return Verdict::HelloAck;
}

void Peer::take_report(const Packet& packet) {
  if (packet.report_kind == StampKind::None) return;
  const RawStamp stamp = {packet.report_raw_ns, packet.report_uncertainty_ns};
  if ((packet.flags & kFlagReportsReception) == 0) {
    receptions_.send_stamp(packet.report_sequence, stamp, packet.report_kind);
    return;
  }
  const SentPacket* sent = sends_.find(packet.report_sequence);
  if (sent == nullptr) return;
  window_.add_outgoing(sent->stamp, stamp, std::min(sent->kind, packet.report_kind));
}

void Peer::put_report(Packet* packet, int64_t raw_ns) {
  StampReport report;
  // It takes the place of a send stamp, so not in two trains in a row.
  if (raw_ns >= next_reception_report_raw_ns_ && train_ > reception_report_train_ + 1) {
    report = receptions_.take_fastest();
    reception_report_train_ = train_;
    next_reception_report_raw_ns_ = raw_ns + kReceptionReportNs;
    if (report.kind != StampKind::None) packet->flags |= kFlagReportsReception;
  }
  if (report.kind == StampKind::None) report = sends_.take_report();
  // A stamp too uncertain for the field is not worth telling.
  if (report.stamp.uncertainty_ns > UINT16_MAX) report = {};
  packet->report_sequence = report.sequence;
  packet->report_raw_ns = report.stamp.raw_ns;
  packet->report_kind = report.kind;
  packet->report_uncertainty_ns = static_cast<uint16_t>(report.stamp.uncertainty_ns);
}

Packet Peer::blank(PacketType type, int64_t raw_ns) const {
  Packet packet;
  packet.type = type;
  packet.job_hash = setup_.job_hash;
  packet.source_id = setup_.self_id;
  packet.destination_id = host_.id;
  packet.source_nonce = setup_.self_nonce;
  packet.sent_raw_ns = raw_ns;
  return packet;
}

uint64_t Peer::write_probe(uint8_t index, bool kernel_stamps, int64_t raw_ns, PacketBytes* bytes) {
  Packet packet = blank(PacketType::Probe, raw_ns);
  packet.sequence = sends_.next_sequence();
  packet.train = train_;
  packet.train_index = index;
  packet.train_length = setup_.train_length;
  packet.spacing_us = setup_.spacing_us;
  packet.highest_received = receptions_.highest_sequence();
  if (kernel_stamps) packet.flags |= kFlagKernelStamps;
  if (index + 1 == setup_.train_length) packet.flags |= kFlagLastOfTrain;
  if (machine_.wants_faster()) packet.flags |= kFlagWantsFaster;
  if (path() == 1) packet.flags |= kFlagSecondPath;
  put_report(&packet, raw_ns);
  encode(packet, bytes);
  seal(send_key_, bytes);
  sends_.sent(raw_ns, kernel_stamps);
  return packet.sequence;
}

void Peer::write_hello(PacketBytes* bytes, int64_t raw_ns) const {
  Packet packet = blank(PacketType::Hello, raw_ns);
  packet.report_sequence = peer_nonce_;
  encode(packet, bytes);
  seal(hello_send_key_, bytes);
}

void Peer::write_hello_ack(PacketBytes* bytes, int64_t raw_ns) const {
  Packet packet = blank(PacketType::HelloAck, raw_ns);
  packet.report_sequence = greeted_nonce_;
  encode(packet, bytes);
  seal(hello_send_key_, bytes);
}

void Peer::write_bye(PacketBytes* bytes, int64_t raw_ns) {
  Packet packet = blank(PacketType::Bye, raw_ns);
  packet.sequence = sends_.next_sequence();
  put_report(&packet, raw_ns);
  encode(packet, bytes);
  seal(send_key_, bytes);
  sends_.sent(raw_ns, false);
}

}  // namespace lockstep::clocksync
