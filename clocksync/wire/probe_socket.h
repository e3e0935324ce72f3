// One UDP socket with the kernel's software stamps on both sides. The receive stamp comes with the
// packet. The send stamp comes later on the socket's error queue, together with the packet itself:
// the packet names its own sequence number, so no counter in the kernel and in here can ever run
// apart. Non-blocking, close-on-exec, used by the prober's thread alone. Sends only to loopback
// unless opened for more.
#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "clocksync/wire/packet.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;

  static Result<Endpoint> from(const std::string& numeric_address, uint16_t port);
  static Endpoint of(const sockaddr_storage& address);
  bool same_host(const sockaddr_storage& other) const;
  uint16_t port() const;
};

struct Datagram {
  // One byte more than a packet, so that a larger one is seen to be larger.
  std::array<uint8_t, kPacketBytes + 1> bytes;
  size_t size_bytes = 0;
  sockaddr_storage from{};
  int64_t kernel_real_ns = 0;      // 0: no stamp
  int64_t application_raw_ns = 0;  // set by the reader, right after receive()
  uint32_t via = 0;                // likewise: which of this host's interfaces it came by
};

// A packet of ours that came back on the error queue with its send stamp.
struct SentStamp {
  PacketBytes bytes;
  int64_t kernel_real_ns = 0;
  uint32_t via = 0;  // set by the reader, as in Datagram
};

struct ProbeSocketOptions {
  std::string address;  // numeric, of this host
  uint16_t port = 0;
  bool beyond_loopback = false;
  bool kernel_stamps = true;
};

class ProbeSocket {
 public:
  static constexpr size_t kBatch = 64;

  static Result<ProbeSocket> open(const ProbeSocketOptions& options);
  ProbeSocket(ProbeSocket&& other) noexcept;
  ProbeSocket& operator=(ProbeSocket&&) = delete;
  ~ProbeSocket();

  bool send(const PacketBytes& bytes, const Endpoint& to);
  // Appends up to kBatch packets; false: the queue is empty now.
  bool receive(std::vector<Datagram>* received);
  // Appends every send stamp that has arrived.
  void take_sent_stamps(std::vector<SentStamp>* stamps);

  // While on, the kernel itself drops what has not our size, magic, version and job: a flood then
  // costs this process nothing and cannot push real packets out of the queue.
  void set_flood_filter(uint64_t job_hash);
  void clear_flood_filter();
  // Packets dropped by the kernel since the socket was opened.
  uint64_t kernel_drops() const;

  int fd() const { return fd_; }
  uint16_t port() const { return port_; }
  bool kernel_stamps() const { return kernel_stamps_; }

 private:
  explicit ProbeSocket(int fd) : fd_(fd) {}

  int fd_;
  uint16_t port_ = 0;
  bool kernel_stamps_ = false;
  bool beyond_loopback_ = false;
};

}  // namespace lockstep::clocksync
