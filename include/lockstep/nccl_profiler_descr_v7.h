// Event descriptors of table 7 (NCCL 2.31): v6 plus user tags, kernel variants and KernelPhase,
// every older member at its old place. See nccl_profiler_descr.h for what holds in every version.
#pragma once

#include "lockstep/nccl_profiler_descr.h"

namespace lockstep::abi::v7 {
using v6::CeBatch;
using v6::CeSync;
using v6::GroupApi;
using v6::KernelCh;
using v6::KernelLaunch;
using v6::NetPlugin;
using v6::ProxyOp;
using v6::ProxyStep;

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
  const char* kernel_variant;
  bool is_sym_coll;
  uint64_t user_tag;
};
struct P2p {
  const char* func;
  void* buff;
  const char* datatype;
  size_t count;
  int32_t peer;
  uint8_t channels;
  void* parent_group;
  uint64_t user_tag;
};
struct CollApi {
  const char* func;
  size_t count;
  const char* datatype;
  int32_t root;
  void* stream;
  bool graph_captured;
  uint64_t user_tag;
};
struct P2pApi {
  const char* func;
  size_t count;
  const char* datatype;
  void* stream;
  bool graph_captured;
  uint64_t user_tag;
};
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
  uint64_t user_tag;
};
struct KernelPhase {
  uint8_t channel_id;
  uint8_t phase_id;  // 0 initial_sync, 1 compute, 2 final_sync
  const char* phase_name;
  uint64_t p_timer;  // GPU clock, nanoseconds
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
    KernelPhase kernel_phase;
  };
};
static_assert(sizeof(EventDescr) == 136);

}  // namespace lockstep::abi::v7
