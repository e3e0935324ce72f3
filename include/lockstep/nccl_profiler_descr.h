// Event descriptors of the NCCL profiler ABI: what startEvent gets, one namespace per table
// version. Tables 4 to 7 here, 1 to 3 in nccl_profiler_descr_v1_v3.h; lockstep/nccl_profiler_abi.h
// includes both and adds the rest. A version that leaves a member as it was reuses the older
// struct. Strings point at NCCL's literals. Buffers, streams, parents and contexts are opaque:
// never follow them. v1 to v4 write one byte of `type`; the seven bytes behind it may be garbage.
// The v7 tail members lie beyond what a v5 or v6 caller has on its stack: read them only behind the
// v7 table.
#pragma once

#include "lockstep/nccl_profiler_descr_v1_v3.h"

namespace lockstep::abi {

namespace v4 {
using v3::NetPlugin;
using v3::ProxyOp;
using v3::ProxyStep;
struct Coll {
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  const char* datatype;
  uint8_t channels;
  uint8_t warps;
  const char* algo;
  const char* proto;
};
struct P2p {
  const char* func;
  void* buff;
  const char* datatype;
  size_t count;
  int32_t peer;
  uint8_t channels;  // garbage when NCCL 2.30 calls a v4 table
};
struct KernelCh {
  uint8_t channel_id;
  uint64_t p_timer;  // GPU clock, nanoseconds
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
static_assert(sizeof(EventDescr) == 104);
}  // namespace v4

namespace v5 {
using v4::KernelCh;
using v4::NetPlugin;
using v4::ProxyOp;
using v4::ProxyStep;
struct GroupApi {
  bool graph_captured;
  int32_t group_depth;
};
struct CollApi {
  const char* func;
  size_t count;
  const char* datatype;
  int32_t root;
  void* stream;
  bool graph_captured;
};
struct P2pApi {
  const char* func;
  size_t count;
  const char* datatype;
  void* stream;
  bool graph_captured;
};
struct KernelLaunch {
  void* stream;
};
struct Coll {
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  const char* datatype;
  uint8_t channels;
  uint8_t warps;
  const char* algo;
  const char* proto;
  void* parent_group;
};
struct P2p {
  const char* func;
  void* buff;
  const char* datatype;
  size_t count;
  int32_t peer;
  uint8_t channels;
  void* parent_group;
};
struct EventDescr {
  uint64_t type;
  void* parent;
  int32_t rank;
  union {
    Coll coll;
    P2p p2p;
    ProxyOp proxy_op;
    ProxyStep proxy_step;
    KernelCh kernel_ch;
    NetPlugin net_plugin;
    GroupApi group_api;
    CollApi coll_api;
    P2pApi p2p_api;
    KernelLaunch kernel_launch;
  };
};
static_assert(sizeof(EventDescr) == 112);
}  // namespace v5

namespace v6 {
using v5::Coll;
using v5::CollApi;
using v5::GroupApi;
using v5::KernelCh;
using v5::KernelLaunch;
using v5::NetPlugin;
using v5::P2p;
using v5::P2pApi;
using v5::ProxyOp;
using v5::ProxyStep;
struct CeColl {
  uint64_t seq_number;
  const char* func;
  const void* send_buff;
  void* recv_buff;
  size_t count;
  int32_t root;
  const char* datatype;
  const char* sync_strategy;
  bool intra_batch_sync;
  uint32_t batch_size;
  uint32_t batches;
  uint32_t ce_seq;
  void* stream;
};
struct CeSync {
  bool is_complete;
  int32_t ranks;
};
struct CeBatch {
  int32_t ops;
  size_t total_bytes;
  bool use_intra_sync;
};
struct EventDescr {
  uint64_t type;
  void* parent;
  int32_t rank;
  union {
    Coll coll;
    P2p p2p;
    ProxyOp proxy_op;
    ProxyStep proxy_step;
    KernelCh kernel_ch;
    NetPlugin net_plugin;
    GroupApi group_api;
    CollApi coll_api;
    P2pApi p2p_api;
    KernelLaunch kernel_launch;
    CeColl ce_coll;
    CeSync ce_sync;
    CeBatch ce_batch;
  };
};
static_assert(sizeof(EventDescr) == 112);
}  // namespace v6

}  // namespace lockstep::abi
