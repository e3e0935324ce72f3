// What the NCCL profiler ABI's netPlugin.data points at: the descriptors of NCCL's own InfiniBand
// and socket transports. Valid during the call only; other ids belong to other net plugins and say
// nothing about the data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::abi::net {

inline constexpr int64_t kIbV1 = 0x10001;
inline constexpr int64_t kSocketV1 = 0x20001;
inline constexpr uint8_t kIbQp = 1;
inline constexpr uint8_t kSocket = 1;
struct IbQp {
  int32_t device;
  uint64_t wr_id;
  int32_t opcode;
  int32_t qp_number;
  size_t length;
};
struct IbDescrV1 {
  uint8_t type;
  IbQp qp;
};
struct SocketTransfer {
  int32_t fd;
  int32_t op;
  size_t length;
};
struct SocketDescrV1 {
  uint8_t type;
  SocketTransfer sock;
};
static_assert(sizeof(IbDescrV1) == 40 && sizeof(SocketDescrV1) == 24);

}  // namespace lockstep::abi::net
