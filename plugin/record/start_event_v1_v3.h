// Coll and P2p of tables 1 to 3 (NCCL 2.23 to 2.26): enums for names in v1, and the communicator's
// hash and name inside each event, because init says nothing about the communicator.
#pragma once

#include "plugin/record/start_event.h"

namespace lockstep::plugin {

// Names of v1's numbers (ncclFunc_t, ncclDataType_t, and the algorithm and protocol order of
// NCCL 2.23 to 2.31).
constexpr const char* kFuncNames[] = {"Broadcast", "Reduce",   "AllGather", "ReduceScatter",
                                      "AllReduce", "SendRecv", "Send",      "Recv",
                                      "AlltoAll",  "Scatter",  "Gather",    "AllGatherV",
                                      "PutSignal", "Signal",   "WaitSignal"};
constexpr const char* kDatatypeNames[] = {"ncclInt8",     "ncclUint8",      "ncclInt32",
                                          "ncclUint32",   "ncclInt64",      "ncclUint64",
                                          "ncclFloat16",  "ncclFloat32",    "ncclFloat64",
                                          "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
constexpr const char* kAlgoNames[] = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr const char* kProtoNames[] = {"LL", "LL128", "SIMPLE"};

template <size_t kCount>
uint16_t intern_enum(ThreadLog& log, const char* const (&names)[kCount], uint8_t value) {
  return intern(log, value < kCount ? names[value] : "Unknown");
}
// From v2 on these are strings.
template <size_t kCount>
uint16_t intern_enum(ThreadLog& log, const char* const (&)[kCount], const char* value) {
  return intern(log, value);
}

// Records the hash and name of a communicator the first time an event tells them. Newer NCCL passes
// 0 and NULL here.
void learn_comm(uint32_t comm, uint64_t hash, const char* name);

template <int kVersion, typename Descr>
void start_legacy_coll(void* context, void** handle, const Descr& d) {
  const auto& c = d.coll;
  const uint32_t comm = comm_of_context(context);
  if (c.comm_hash != 0) learn_comm(comm, c.comm_hash, c.name);
  record_start<Kind::Coll>(comm, d.parent, handle, [&](ThreadLog& log, uint64_t* w) {
    w[0] = low32(d.rank) | uint64_t{c.max_channels} << 32 | uint64_t{c.warps} << 40;
    w[1] = 0;
    w[2] = c.seq_number;
    w[3] = c.count;
    w[4] = address(c.send_buff);
    w[5] = address(c.recv_buff);
    w[6] = uint64_t{intern_enum(log, kFuncNames, c.func)} |
           uint64_t{intern_enum(log, kDatatypeNames, c.datatype)} << 16 |
           uint64_t{intern_enum(log, kAlgoNames, c.algo)} << 32 |
           uint64_t{intern_enum(log, kProtoNames, c.proto)} << 48;
    w[7] = low32(c.root);
    w[8] = w[9] = w[10] = 0;
    if constexpr (kVersion <= 2) w[9] = c.traffic_bytes;
    if constexpr (kVersion == 1) {
      w[10] = uint64_t{c.op} | uint64_t{c.is_collnet != 0} << 32 | uint64_t{c.is_nvls != 0} << 33;
    }
  });
}

template <typename Descr>
void start_legacy_p2p(void* context, void** handle, const Descr& d) {
  const auto& p = d.p2p;
  const uint32_t comm = comm_of_context(context);
  if (p.comm_hash != 0) learn_comm(comm, p.comm_hash, p.name);
  record_start<Kind::P2p>(comm, d.parent, handle, [&](ThreadLog& log, uint64_t* w) {
    w[0] = low32(d.rank);
    w[1] = 0;
    w[2] = p.count;
    w[3] = address(p.buff);
    w[4] = uint64_t{intern_enum(log, kFuncNames, p.func)} |
           uint64_t{intern_enum(log, kDatatypeNames, p.datatype)} << 16 | high32(p.peer);
    w[5] = 0;
  });
}

}  // namespace lockstep::plugin
