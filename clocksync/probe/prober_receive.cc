#include <algorithm>

#include "clocksync/probe/prober.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;
constexpr int64_t kRestNs = kMillisecondNs;
// In a flood: 25 looks a second at 128 packets each, 1 to 1.5 % of a core.
constexpr int64_t kFloodRestNs = 40 * kMillisecondNs;
constexpr int kFloodBatches = 2;
constexpr int kMostBatches = 16;
constexpr int64_t kAckPauseNs = 50 * kMillisecondNs;

}  // namespace

void Prober::drain(int64_t now_ns) {
  received_.clear();
  sent_.clear();
  const bool flooded = guard_.flooded(now_ns);
  for (ProbeSocket& socket : sockets_) {
    int batches = flooded ? kFloodBatches : kMostBatches;
    bool more = true;
    while (more && --batches >= 0) {
      const size_t before = received_.size();
      more = socket.receive(&received_);
      const int64_t application_raw_ns = received_.size() > before ? clock_.raw_ns() : 0;
      for (size_t i = before; i < received_.size(); ++i) {
        received_[i].application_raw_ns = application_raw_ns;
      }
    }
    if (socket.kernel_stamps()) socket.take_sent_stamps(&sent_);
  }
  if (received_.empty() && sent_.empty()) return;
  if (!converter_.close_batch()) {
    counters_.stamps_discarded += received_.size() + sent_.size();
    fault("realtime_step", "",
          "CLOCK_REALTIME jumped; kernel stamps since the last batch were dropped", 1);
  }
  for (const SentStamp& sent : sent_) handle_sent(sent);
  const uint64_t rejected_before = counters_.rejected();
  for (const Datagram& datagram : received_) handle(datagram, now_ns);
  const bool was_flooded = flooded;
  guard_.rejected(counters_.rejected() - rejected_before, now_ns);
  if (guard_.flooded(now_ns) && !filtering_) {
    for (ProbeSocket& socket : sockets_) socket.set_flood_filter(edge_setup_.job_hash);
    filtering_ = true;
    counters_.floods += was_flooded ? 0 : 1;
  }
  // The cap holds in a flood, too: where a look costs more than usual, looks become fewer.
  const auto flood_rest_ns = static_cast<int64_t>(double(kFloodRestNs) / guard_.scale());
  hold_until_ns_ = now_ns + (guard_.flooded(now_ns) ? flood_rest_ns : lazy() ? kRestNs : 0);
}

void Prober::handle_sent(const SentStamp& sent) {
  Packet packet;
  if (parse(sent.bytes.data(), sent.bytes.size(), &packet) != ParseFault::None) return;
  if (packet.source_nonce != edge_setup_.self_nonce || packet.type != PacketType::Probe) return;
  const auto edge = edges_.find(packet.destination_id);
  const std::optional<RawStamp> stamp = converter_.to_raw(sent.kernel_real_ns);
  if (edge == edges_.end() || !stamp) return;
  if (!edge->second->sends.kernel_stamp(packet.sequence, *stamp)) ++counters_.stamps_discarded;
}

void Prober::count_fault(ParseFault fault, const Datagram& datagram) {
  Edge* edge = nullptr;
  for (const auto& [id, candidate] : edges_) {
    if (candidate->address().same_host(datagram.from)) edge = candidate.get();
  }
  ProbeCounters nobody;
  ProbeCounters& own = edge == nullptr ? nobody : edge->rejected;
  const auto count = [&](uint64_t ProbeCounters::*counter) {
    ++(counters_.*counter);
    ++(own.*counter);
  };
  switch (fault) {
    case ParseFault::None:
      break;
    case ParseFault::Truncated:
      count(&ProbeCounters::truncated);
      break;
    case ParseFault::Oversized:
      count(&ProbeCounters::oversized);
      break;
    case ParseFault::BadMagic:
      count(&ProbeCounters::bad_magic);
      break;
    case ParseFault::BadVersion:
      count(&ProbeCounters::bad_version);
      break;
    case ParseFault::BadField:
      count(&ProbeCounters::bad_field);
      break;
  }
}

// The edge a packet claims to belong to, when its address agrees. A neighbour whose list of hosts
// is newer than ours may greet first: then the edge is made now.
Edge* Prober::edge_of(const Packet& packet, const Datagram& datagram, int64_t now_ns) {
  auto found = edges_.find(packet.source_id);
  if (found == edges_.end()) {
    const auto host = known_.find(packet.source_id);
    if (host == known_.end() || packet.type != PacketType::Hello) {
      ++counters_.unknown_source;
      return nullptr;
    }
    const Result<Endpoint> address = Endpoint::from(host->second.address, host->second.port);
    if (!address.ok() || !address.value().same_host(datagram.from)) {
      ++counters_.bad_address;
      return nullptr;
    }
    return add_edge(host->second, false, now_ns);
  }
  if (!found->second->address().same_host(datagram.from)) {
    ++counters_.bad_address;
    return nullptr;
  }
  return found->second.get();
}

void Prober::handle(const Datagram& datagram, int64_t now_ns) {
  Packet packet;
  const ParseFault parse_fault = parse(datagram.bytes.data(), datagram.size_bytes, &packet);
  if (parse_fault != ParseFault::None) return count_fault(parse_fault, datagram);
  if (packet.job_hash != edge_setup_.job_hash) {
    ++counters_.other_job;
    return;
  }
  if (packet.destination_id != setup_.self.id) {
    ++counters_.bad_field;
    return;
  }
  Edge* edge = edge_of(packet, datagram, now_ns);
  if (edge == nullptr) return;
  Edge::Arrival arrival = {&packet,
                           datagram.bytes.data(),
                           {datagram.application_raw_ns, 0},
                           StampKind::Application,
                           now_ns};
  const std::optional<RawStamp> kernel =
      datagram.kernel_real_ns == 0 ? std::nullopt : converter_.to_raw(datagram.kernel_real_ns);
  if (kernel) {
    arrival.stamp = *kernel;
    arrival.kind = StampKind::Kernel;
  }
  const double rate_before = edge->machine.trains_per_s();
  const Edge::Verdict verdict = edge->judge(arrival, &counters_);
  if (verdict == Edge::Verdict::Dropped) return;
  ++counters_.packets_received;
  counters_.bytes_received += datagram.size_bytes;
  if (!kernel && verdict == Edge::Verdict::Probe) ++counters_.rx_stamp_missing;
  if (edge->machine.trains_per_s() > rate_before) schedule(edge, now_ns);
  // Greetings come from where the peer receives now; a new prober of its host has another port.
  // Asked back at once: its packets count only after that, and only its answer to us moves its
  // address.
  const Endpoint from = Endpoint::of(datagram.from);
  if (verdict == Edge::Verdict::HelloAck) edge->move_to(edge->peer(), from);
  if (verdict == Edge::Verdict::Hello) greet_if_due(edge, from, now_ns);
  if (verdict == Edge::Verdict::Hello && now_ns - edge->last_ack_ns >= kAckPauseNs) {
    edge->last_ack_ns = now_ns;
    PacketBytes bytes;
    edge->write_hello_ack(&bytes, clock_.raw_ns());
    send(bytes, from, 0);
  }
}

}  // namespace lockstep::clocksync
