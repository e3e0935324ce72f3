#include "clocksync/probe/probe_paths.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kRestNs = 1'000'000;

}  // namespace

int64_t ProbePaths::rest_ns() const { return kernel_stamps(known_socket(0)) ? kRestNs : 0; }

void ProbePaths::send(size_t socket, const PacketBytes& bytes, const Endpoint& to) {
  if (!sockets_[socket].send(bytes, to)) {
    ++counters_->send_failed;
    return;
  }
  ++counters_->packets_sent;
  counters_->bytes_sent += bytes.size();
}

void ProbePaths::read(int most_batches, const ClockSource& clock, Arrivals* arrivals) {
  ++counters_->looks;
  std::vector<Datagram>& received = arrivals->received;
  for (size_t s = 0; s < sockets_.size(); ++s) {
    ProbeSocket& socket = sockets_[s];
    const auto via = static_cast<uint32_t>(s / kOfInterface);
    const size_t stamps_before = arrivals->sent.size();
    bool more = true;
    for (int batch = 0; more && batch < most_batches; ++batch) {
      const size_t before = received.size();
      more = socket.receive(&received);
      const int64_t raw_ns = received.size() > before ? clock.raw_ns() : 0;
      for (size_t i = before; i < received.size(); ++i) {
        received[i].application_raw_ns = raw_ns;
        received[i].via = via;
      }
    }
    if (socket.kernel_stamps()) socket.take_sent_stamps(&arrivals->sent);
    for (size_t i = stamps_before; i < arrivals->sent.size(); ++i) arrivals->sent[i].via = via;
  }
}

void ProbePaths::filter_flood(uint64_t job_hash) {
  for (ProbeSocket& socket : sockets_) socket.set_flood_filter(job_hash);
  filtering_ = true;
}

void ProbePaths::stop_filtering() {
  for (ProbeSocket& socket : sockets_) socket.clear_flood_filter();
  filtering_ = false;
}

uint64_t ProbePaths::kernel_drops() const {
  uint64_t drops = 0;
  for (const ProbeSocket& socket : sockets_) drops += socket.kernel_drops();
  return drops;
}

void ProbePaths::add_to(std::vector<pollfd>* items) const {
  for (const ProbeSocket& socket : sockets_) items->push_back({socket.fd(), POLLIN, 0});
}

}  // namespace lockstep::clocksync
