#include "clocksync/probe/packet_receiver.h"

namespace lockstep::clocksync {
namespace {

constexpr int kMostBatches = 16;
// In a flood: 25 looks a second at 128 packets a socket, 1 to 1.5 % of a core.
constexpr int64_t kFloodRestNs = 40'000'000;
constexpr int kFloodBatches = 2;

// Null for None.
uint64_t ProbeCounters::*counter_of(ParseFault fault) {
  switch (fault) {
    case ParseFault::None:
      break;
    case ParseFault::Truncated:
      return &ProbeCounters::truncated;
    case ParseFault::Oversized:
      return &ProbeCounters::oversized;
    case ParseFault::BadMagic:
      return &ProbeCounters::bad_magic;
    case ParseFault::BadVersion:
      return &ProbeCounters::bad_version;
    case ParseFault::BadField:
      return &ProbeCounters::bad_field;
  }
  return nullptr;
}

}  // namespace

PacketReceiver::Look PacketReceiver::look(int64_t mono_ns) {
  LoadGuard& guard = *parts_.guard;
  ProbeCounters& counters = *parts_.counters;
  const bool was_flooded = guard.flooded(mono_ns);
  arrivals_.received.clear();
  arrivals_.sent.clear();
  parts_.paths->read(was_flooded ? kFloodBatches : kMostBatches, parts_.clock, &arrivals_);
  Look look;
  if (arrivals_.empty()) return look;
  if (!converter_.close_batch()) {
    counters.stamps_discarded += arrivals_.received.size() + arrivals_.sent.size();
    look.realtime_stepped = true;
  }
  for (const SentStamp& sent : arrivals_.sent) take_sent_stamp(sent);
  const uint64_t rejected_before = counters.rejected();
  for (const Datagram& datagram : arrivals_.received) take(datagram, mono_ns);
  guard.rejected(counters.rejected() - rejected_before, mono_ns);
  const bool flooded = guard.flooded(mono_ns);
  if (flooded && !parts_.paths->filtering()) {
    parts_.paths->filter_flood(parts_.setup.job_hash);
    counters.floods += was_flooded ? 0 : 1;
  }
  // The cap on processor time holds in a flood, too: where a look costs more than usual, looks
  // become fewer.
  look.rest_ns = flooded ? static_cast<int64_t>(static_cast<double>(kFloodRestNs) / guard.scale())
                         : parts_.paths->rest_ns();
  return look;
}

void PacketReceiver::tick(int64_t mono_ns) {
  if (parts_.paths->filtering() && !parts_.guard->flooded(mono_ns)) parts_.paths->stop_filtering();
}

void PacketReceiver::take_sent_stamp(const SentStamp& sent) {
  Packet packet;
  if (parse(sent.bytes.data(), sent.bytes.size(), &packet) != ParseFault::None) return;
  if (packet.source_nonce != parts_.setup.self_nonce || packet.type != PacketType::Probe) return;
  Peer* peer = parts_.members->find({packet.destination_id, sent.via});
  const std::optional<RawStamp> stamp = converter_.to_raw(sent.kernel_real_ns);
  if (peer == nullptr || !stamp) return;
  if (!peer->kernel_stamp(packet.sequence, *stamp)) ++parts_.counters->stamps_discarded;
}

void PacketReceiver::count_fault(ParseFault fault, const Datagram& datagram) {
  uint64_t ProbeCounters::*counter = counter_of(fault);
  ++(parts_.counters->*counter);
  Peer* peer = parts_.members->at_address(datagram.from);
  if (peer != nullptr) peer->count_rejected(counter);
}

// The peer that a packet claims to come from, when its address agrees. A neighbour whose list of
// hosts is newer than ours may greet first: then it becomes a peer now.
Peer* PacketReceiver::peer_of(const Packet& packet, const Datagram& datagram, int64_t mono_ns) {
  const PeerKey key = {packet.source_id, datagram.via};
  Peer* peer = parts_.members->find(key);
  if (peer == nullptr) {
    const std::optional<HostEntry> host = parts_.members->known_host(key);
    if (!host || packet.type != PacketType::Hello) {
      ++parts_.counters->unknown_source;
      return nullptr;
    }
    const Result<Endpoint> address = Endpoint::from(host->address, host->port);
    if (address.ok() && address.value().same_host(datagram.from)) {
      return parts_.members->greeted_by(key, mono_ns);
    }
  } else if (peer->address().same_host(datagram.from)) {
    return peer;
  }
  ++parts_.counters->bad_address;
  return nullptr;
}

void PacketReceiver::take(const Datagram& datagram, int64_t mono_ns) {
  Packet packet;
  const ParseFault fault = parse(datagram.bytes.data(), datagram.size_bytes, &packet);
  if (fault != ParseFault::None) {
    count_fault(fault, datagram);
  } else if (packet.job_hash != parts_.setup.job_hash) {
    ++parts_.counters->other_job;
  } else if (packet.destination_id != parts_.setup.self_id) {
    ++parts_.counters->bad_field;
  } else if (Peer* peer = peer_of(packet, datagram, mono_ns)) {
    judge(packet, datagram, mono_ns, peer);
  }
}

void PacketReceiver::judge(const Packet& packet, const Datagram& datagram, int64_t mono_ns,
                           Peer* peer) {
  Peer::Arrival arrival = {&packet,
                           datagram.bytes.data(),
                           {datagram.application_raw_ns, 0},
                           StampKind::Application,
                           mono_ns};
  const std::optional<RawStamp> kernel =
      datagram.kernel_real_ns == 0 ? std::nullopt : converter_.to_raw(datagram.kernel_real_ns);
  if (kernel) {
    arrival.stamp = *kernel;
    arrival.kind = StampKind::Kernel;
  }
  const Peer::Verdict verdict = peer->judge(arrival, parts_.counters);
  if (verdict == Peer::Verdict::Dropped) return;
  ++parts_.counters->packets_received;
  parts_.counters->bytes_received += datagram.size_bytes;
  if (!kernel && verdict == Peer::Verdict::Probe) ++parts_.counters->rx_stamp_missing;
  // Greetings come from where the peer receives now; a new prober of its host has another port.
  // Asked back at once: its packets count only after that, and only its answer to us moves its
  // address.
  const Endpoint from = Endpoint::of(datagram.from);
  if (verdict == Peer::Verdict::HelloAck) peer->move_to(peer->host(), from);
  if (verdict == Peer::Verdict::Hello) {
    parts_.sender->greet_if_due(peer, from, mono_ns);
    parts_.sender->answer_greeting(peer, from, mono_ns);
  }
}

}  // namespace lockstep::clocksync
