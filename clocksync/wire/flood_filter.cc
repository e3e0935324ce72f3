// The kernel-side filter of ProbeSocket: classic BPF, which needs no privilege. Offsets count from
// the UDP header.
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "clocksync/wire/probe_socket.h"

namespace lockstep::clocksync {
namespace {

constexpr uint32_t kUdpHeaderBytes = 8;
constexpr uint32_t kMagic = 0x4e435350;

}  // namespace

void ProbeSocket::set_flood_filter(uint64_t job_hash) {
  const auto high = static_cast<uint32_t>(job_hash >> 32);
  const auto low = static_cast<uint32_t>(job_hash);
  // Each test jumps over the rest to "drop" (the last instruction) when it fails.
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUdpHeaderBytes + kPacketBytes, 0, 9),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kUdpHeaderBytes + 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMagic, 0, 7),
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
