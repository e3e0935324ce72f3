// The prober's sockets, for each interface three: the known one, which the other hosts send to and
// which greets and answers, and the two that trains leave from. Sends and reads, and counts what it sent; what packets mean is
// not its business. Owned by the prober's thread; no call blocks.
#pragma once

#include <poll.h>

#include <cstdint>
#include <vector>

#include "clocksync/probe/probe_counters.h"
#include "clocksync/wire/clock_source.h"
#include "clocksync/wire/probe_socket.h"

namespace lockstep::clocksync {

class ProbePaths {
 public:
  // kOfInterface for each interface, the known one first. `counters` must outlive this.
  ProbePaths(std::vector<ProbeSocket> sockets, ProbeCounters* counters)
      : sockets_(std::move(sockets)), counters_(counters) {}

  static constexpr size_t kOfInterface = 3;
  // The sockets of interface number `via`: the known one, and that of a train's path (0 or 1).
  static size_t known_socket(uint32_t via) { return via * kOfInterface; }
  static size_t train_socket(uint32_t via, int path) {
    return known_socket(via) + 1 + static_cast<size_t>(path);
  }
  bool kernel_stamps(size_t socket) const { return sockets_[socket].kernel_stamps(); }
  // How long the sockets may be left alone after something was sent or read. Kernel stamps do not
  // get older by waiting, so the packets of a train and their stamps come in one wake-up;
  // application stamps do: 0.
  int64_t rest_ns() const;

  void send(size_t socket, const PacketBytes& bytes, const Endpoint& to);

  struct Arrivals {
    std::vector<Datagram> received;
    std::vector<SentStamp> sent;
    bool empty() const { return received.empty() && sent.empty(); }
  };
  // Reads up to most_batches of ProbeSocket::kBatch packets from each socket, and every send stamp.
  void read(int most_batches, const ClockSource& clock, Arrivals* arrivals);

  // While on, the kernel drops what is not a packet of this job.
  void filter_flood(uint64_t job_hash);
  void stop_filtering();
  bool filtering() const { return filtering_; }
  uint64_t kernel_drops() const;

  // Appends an item per socket.
  void add_to(std::vector<pollfd>* items) const;

 private:
  std::vector<ProbeSocket> sockets_;
  ProbeCounters* const counters_;
  bool filtering_ = false;
};

}  // namespace lockstep::clocksync
