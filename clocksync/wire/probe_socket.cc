#include "clocksync/wire/probe_socket.h"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock_ns.h"
#include "clocksync/wire/interfaces.h"

namespace lockstep::clocksync {
namespace {

// The largest headers in front of our payload on the error queue: Ethernet with VLAN, IPv6 with
// extensions, UDP.
constexpr size_t kMaxFrameBytes = 256 + kPacketBytes;
constexpr size_t kControlBytes = 256;

// Offsets of the flood filter count from the UDP header.
constexpr uint32_t kUdpHeaderBytes = 8;

bool is_loopback(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text,
              sizeof text);
  }
  return is_loopback_address(text);
}

int64_t software_stamp_ns(msghdr* message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(message); at != nullptr; at = CMSG_NXTHDR(message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_TIMESTAMPING) continue;
    scm_timestamping stamps;
    std::memcpy(&stamps, CMSG_DATA(at), sizeof stamps);
    return ns_of(stamps.ts[0]);
  }
  return 0;
}

// True for the stamp taken by the driver; the scheduler's stamp would be earlier and worse.
bool is_send_stamp(msghdr* message) {
  for (cmsghdr* at = CMSG_FIRSTHDR(message); at != nullptr; at = CMSG_NXTHDR(message, at)) {
    const bool v4 = at->cmsg_level == SOL_IP && at->cmsg_type == IP_RECVERR;
    const bool v6 = at->cmsg_level == SOL_IPV6 && at->cmsg_type == IPV6_RECVERR;
    if (!v4 && !v6) continue;
    sock_extended_err error;
    std::memcpy(&error, CMSG_DATA(at), sizeof error);
    return error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING && error.ee_info == SCM_TSTAMP_SND;
  }
  return false;
}

bool enable_stamps(int fd) {
  const int flags =
      SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

}  // namespace

Result<Endpoint> Endpoint::from(const std::string& numeric_address, uint16_t port) {
  Endpoint endpoint;
  auto& v4 = reinterpret_cast<sockaddr_in&>(endpoint.address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(endpoint.address);
  if (inet_pton(AF_INET, numeric_address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    endpoint.size = sizeof v4;
  } else if (inet_pton(AF_INET6, numeric_address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    endpoint.size = sizeof v6;
  } else {
    return Status::error("\"" + numeric_address + "\" is not a numeric address");
  }
  return endpoint;
}

Endpoint Endpoint::of(const sockaddr_storage& address) {
  return {address, static_cast<socklen_t>(address.ss_family == AF_INET ? sizeof(sockaddr_in)
                                                                       : sizeof(sockaddr_in6))};
}

bool Endpoint::same_host(const sockaddr_storage& other) const {
  if (address.ss_family != other.ss_family) return false;
  if (address.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(other).sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(other).sin6_addr,
                     sizeof(in6_addr)) == 0;
}

uint16_t Endpoint::port() const {
  return ntohs(address.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                   : reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

Result<ProbeSocket> ProbeSocket::open(const ProbeSocketOptions& options) {
  Result<Endpoint> local = Endpoint::from(options.address, options.port);
  if (!local.ok()) return local.status();
  const Endpoint& at = local.value();
  if (!options.beyond_loopback && !is_loopback(at.address)) {
    return Status::error("the clock prober has no key and stays on loopback, not on " +
                         options.address +
                         "; set LOCKSTEP_CLOCK_KEY_FILE (or LOCKSTEP_CLOCK_INSECURE=1)");
  }
  ProbeSocket made(socket(at.address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.fd_ < 0 ||
      bind(made.fd_, reinterpret_cast<const sockaddr*>(&at.address), at.size) != 0) {
    return Status::error("UDP " + options.address + " port " + std::to_string(options.port) + ": " +
                         std::strerror(errno) + "; choose another LOCKSTEP_CLOCK_PORT");
  }
  Endpoint bound;
  bound.size = sizeof bound.address;
  getsockname(made.fd_, reinterpret_cast<sockaddr*>(&bound.address), &bound.size);
  made.port_ = bound.port();
  const int queue_bytes = 1 << 20;  // the kernel cuts it to net.core.rmem_max
  setsockopt(made.fd_, SOL_SOCKET, SO_RCVBUF, &queue_bytes, sizeof queue_bytes);
  made.beyond_loopback_ = options.beyond_loopback;
  made.kernel_stamps_ = options.kernel_stamps && enable_stamps(made.fd_);
  return Result<ProbeSocket>(std::move(made));
}

ProbeSocket::ProbeSocket(ProbeSocket&& other) noexcept
    : fd_(other.fd_),
      port_(other.port_),
      kernel_stamps_(other.kernel_stamps_),
      beyond_loopback_(other.beyond_loopback_) {
  other.fd_ = -1;
}

ProbeSocket::~ProbeSocket() {
  if (fd_ >= 0) close(fd_);
}

bool ProbeSocket::send(const PacketBytes& bytes, const Endpoint& to) {
  if (!beyond_loopback_ && !is_loopback(to.address)) return false;
  return sendto(fd_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to.address),
                to.size) == ssize_t(bytes.size());
}

bool ProbeSocket::receive(std::vector<Datagram>* received) {
  const size_t before = received->size();
  received->resize(before + kBatch);
  mmsghdr messages[kBatch];
  iovec parts[kBatch];
  alignas(cmsghdr) char control[kBatch][kControlBytes];
  for (size_t i = 0; i < kBatch; ++i) {
    Datagram& datagram = (*received)[before + i];
    parts[i] = {datagram.bytes.data(), datagram.bytes.size()};
    messages[i].msg_hdr = {&datagram.from, sizeof datagram.from, &parts[i], 1,
                           control[i],     kControlBytes,        0};
    messages[i].msg_len = 0;
  }
  const int count = recvmmsg(fd_, messages, kBatch, MSG_DONTWAIT, nullptr);
  const size_t got = count > 0 ? static_cast<size_t>(count) : 0;
  for (size_t i = 0; i < got; ++i) {
    Datagram& datagram = (*received)[before + i];
    datagram.size_bytes = messages[i].msg_len;
    datagram.kernel_real_ns = software_stamp_ns(&messages[i].msg_hdr);
  }
  received->resize(before + got);
  return got == kBatch;
}

void ProbeSocket::take_sent_stamps(std::vector<SentStamp>* stamps) {
  for (;;) {
    uint8_t frame[kMaxFrameBytes];
    alignas(cmsghdr) char control[kControlBytes];
    iovec part = {frame, sizeof frame};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(fd_, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (size < 0) return;
    const int64_t stamp_ns = software_stamp_ns(&message);
    const bool whole = size >= ssize_t(kPacketBytes) && (message.msg_flags & MSG_TRUNC) == 0;
    if (!whole || stamp_ns == 0 || !is_send_stamp(&message)) continue;
    SentStamp sent;
    std::memcpy(sent.bytes.data(), frame + size - ssize_t(kPacketBytes), kPacketBytes);
    sent.kernel_real_ns = stamp_ns;
    stamps->push_back(sent);
  }
}

// Classic BPF, which needs no privilege.
void ProbeSocket::set_flood_filter(uint64_t job_hash) {
  const auto high = static_cast<uint32_t>(job_hash >> 32);
  const auto low = static_cast<uint32_t>(job_hash);
  // Each test jumps over the rest to "drop" (the last instruction) when it fails.
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUdpHeaderBytes + kPacketBytes, 0, 9),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kUdpHeaderBytes + 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kPacketMagic, 0, 7),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kUdpHeaderBytes + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kPacketVersion, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kUdpHeaderBytes + 8),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kUdpHeaderBytes + 12),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, low, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0xffff),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  const sock_fprog filter = {sizeof program / sizeof program[0], program};
  setsockopt(fd_, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

void ProbeSocket::clear_flood_filter() {
  const int unused = 0;
  setsockopt(fd_, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
}

uint64_t ProbeSocket::kernel_drops() const {
  uint32_t facts[SK_MEMINFO_VARS] = {};
  socklen_t size = sizeof facts;
  if (getsockopt(fd_, SOL_SOCKET, SO_MEMINFO, facts, &size) != 0) return 0;
  return facts[SK_MEMINFO_DROPS];
}

}  // namespace lockstep::clocksync
