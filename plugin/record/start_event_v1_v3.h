// Coll and P2p of tables 1 to 3 (NCCL 2.23 to 2.26): enums for names in v1, and the communicator's
// hash and name inside each event, because init says nothing about the communicator.
#pragma once

#include <iterator>

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

inline uint64_t pair_of(uint8_t func, int peer) {
  return pair_of(func < std::size(kFuncNames) ? kFuncNames[func] : nullptr, peer);
}

// Records the hash and name of a communicator the first time an event tells them. Newer NCCL passes
// 0 and NULL here.
void learn_comm(uint32_t comm, uint64_t hash, const char* name);

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_legacy_coll(void* context, void** handle, const Descr& d) {
  const auto& c = d.coll;
  const uint32_t comm = comm_of_context(context);
  if (c.comm_hash != 0) learn_comm(comm, c.comm_hash, c.name);
  record_start<CollRecord>(
      comm, d.parent, handle,
      [&](ThreadLog& log) {
        CollRecord record;
        record.func = intern_enum(log, kFuncNames, c.func);
        record.datatype = intern_enum(log, kDatatypeNames, c.datatype);
        record.algo = intern_enum(log, kAlgoNames, c.algo);
        record.proto = intern_enum(log, kProtoNames, c.proto);
        record.event_rank = d.rank;
        record.channels = c.max_channels;
        record.warps = c.warps;
        record.seq_number = c.seq_number;
        record.count = c.count;
        record.send_buff = address(c.send_buff);
        record.recv_buff = address(c.recv_buff);
        record.root = c.root;
        if constexpr (kVersion <= 2) record.traffic_bytes = c.traffic_bytes;
        if constexpr (kVersion == 1) {
          record.op = c.op;
          record.collnet = c.is_collnet != 0;
          record.nvls = c.is_nvls != 0;
        }
        return record;
      },
      [&c] { return uint64_t{c.seq_number}; });
}

template <typename Descr>
[[gnu::noinline]] void start_legacy_p2p(void* context, void** handle, const Descr& d) {
  const auto& p = d.p2p;
  const uint32_t comm = comm_of_context(context);
  if (p.comm_hash != 0) learn_comm(comm, p.comm_hash, p.name);
  record_start<P2pRecord>(
      comm, d.parent, handle,
      [&](ThreadLog& log) {
        P2pRecord record;
        record.func = intern_enum(log, kFuncNames, p.func);
        record.datatype = intern_enum(log, kDatatypeNames, p.datatype);
        record.event_rank = d.rank;
        record.count = p.count;
        record.buff = address(p.buff);
        record.peer = p.peer;
        return record;
      },
      [&p] { return pair_of(p.func, p.peer); });
}

}  // namespace lockstep::plugin
