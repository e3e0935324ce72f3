// Event descriptors of tables 1 to 3 (NCCL 2.23 to 2.26). Newer NCCL fills name with null,
// comm_hash, op, traffic_bytes, is_collnet and is_nvls with 0. See nccl_profiler_descr.h for what
// holds in every version.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::abi {

namespace v1 {
struct Coll {
  const char* name;
  uint64_t comm_hash;
  uint64_t seq_number;
  uint8_t func;  // ncclFunc_t
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  uint8_t datatype;  // ncclDataType_t
  uint32_t op;
  size_t traffic_bytes;
  uint8_t max_channels;
  uint8_t warps;
  uint8_t algo;
  uint8_t proto;
  int32_t is_collnet;
  int32_t is_nvls;
};
struct P2p {
  const char* name;
  uint64_t comm_hash;
  uint8_t func;
  void* buff;
  uint8_t datatype;
  size_t count;
  int32_t peer;
};
struct ProxyOp {
  int32_t pid;  // of the process that asked for the operation, which may be another one (PXN)
  uint8_t channel_id;
  int32_t peer;
  int32_t steps;
  int32_t chunk_size;
  int32_t is_send;
};
struct ProxyStep {
  int32_t step;
};
struct EventDescr {
  uint8_t type;
  void* parent;
  int32_t rank;
  union {
    Coll coll;
    P2p p2p;
    ProxyOp proxy_op;
    ProxyStep proxy_step;
  };
};
static_assert(sizeof(EventDescr) == 120);
}  // namespace v1

namespace v2 {
using v1::ProxyOp;
using v1::ProxyStep;
struct Coll {
  const char* name;
  uint64_t comm_hash;
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  const char* datatype;
  size_t traffic_bytes;
  uint8_t max_channels;
  uint8_t warps;
  const char* algo;
  const char* proto;
};
struct P2p {
  const char* name;
  uint64_t comm_hash;
  const char* func;
  void* buff;
  const char* datatype;
  size_t count;
  int32_t peer;
};
struct EventDescr {
  uint8_t type;
  void* parent;
  int32_t rank;
  union {
    Coll coll;
    P2p p2p;
    ProxyOp proxy_op;
    ProxyStep proxy_step;
  };
};
static_assert(sizeof(EventDescr) == 128);
}  // namespace v2

namespace v3 {
using v2::P2p;
using v2::ProxyOp;
using v2::ProxyStep;
struct Coll {
  const char* name;
  uint64_t comm_hash;
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  const char* datatype;
  uint8_t max_channels;
  uint8_t warps;
  const char* algo;
  const char* proto;
};
struct KernelCh {
  uint8_t channel_id;
};
struct NetPlugin {
  int64_t id;
  void* data;
};
struct EventDescr {
  uint8_t type;
  void* parent;
  int32_t rank;
  union {
    Coll coll;
    P2p p2p;
    ProxyOp proxy_op;
    ProxyStep proxy_step;
    KernelCh kernel_ch;
    NetPlugin net_plugin;
  };
};
static_assert(sizeof(EventDescr) == 120);
}  // namespace v3

}  // namespace lockstep::abi
