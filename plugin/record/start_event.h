// From an event descriptor of any ABI version to a record. The versions share member names
// (nccl_profiler_descr.h), so one template per kind serves all that have it; what a version lacks
// is left 0. The record's fields: record_fields.h. Texts come first in each template: interning one is
// a call now and then, and what would be held across it costs registers. No template is inlined where
// its kind is chosen: all kinds would save the registers of the greediest.
#pragma once

#include <unistd.h>

#include <cstring>

#include "lockstep/nccl_net_descr.h"
#include "lockstep/nccl_profiler_abi.h"
#include "plugin/record/operation_sampling.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {

inline uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// A step and a network event carry their operation's context, which under PXN belongs to another
// process and says so nowhere; the parent is our own handle and knows better.
inline uint32_t comm_of_child(const void* context, const void* parent) {
  return parent != nullptr ? comm_of(to_id(parent)) : comm_of_context(context);
}

// NCCL's names are Send and Recv.
inline uint64_t pair_of(const char* func, int peer) {
  return OperationSampling::pair(func != nullptr && func[0] == 'S', peer);
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_coll(void* context, void** handle, const Descr& d) {
  record_start<CollRecord>(
      comm_of_context(context), d.parent, handle,
      [&d](ThreadLog& log) {
        const auto& c = d.coll;
        CollRecord record;
        record.func = intern(log, c.func);
        record.datatype = intern(log, c.datatype);
        record.algo = intern(log, c.algo);
        record.proto = intern(log, c.proto);
        if constexpr (kVersion >= 7) record.kernel_variant = intern(log, c.kernel_variant);
        record.event_rank = d.rank;
        record.channels = c.channels;
        record.warps = c.warps;
        record.seq_number = c.seq_number;
        record.count = c.count;
        record.send_buff = address(c.send_buff);
        record.recv_buff = address(c.recv_buff);
        record.root = c.root;
        if constexpr (kVersion >= 5) record.parent_group = address(c.parent_group);
        if constexpr (kVersion >= 7) {
          record.symmetric = c.is_sym_coll;
          record.user_tag = c.user_tag;
        }
        return record;
      },
      [&d] { return uint64_t{d.coll.seq_number}; });
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_p2p(void* context, void** handle, const Descr& d) {
  record_start<P2pRecord>(
      comm_of_context(context), d.parent, handle,
      [&d](ThreadLog& log) {
        const auto& p = d.p2p;
        P2pRecord record;
        record.func = intern(log, p.func);
        record.datatype = intern(log, p.datatype);
        record.event_rank = d.rank;
        record.count = p.count;
        record.buff = address(p.buff);
        record.peer = p.peer;
        // NCCL 2.30 leaves the channel count of a v4 descriptor unwritten: better none than garbage.
        if constexpr (kVersion >= 5) record.channels = p.channels;
        if constexpr (kVersion >= 5) record.parent_group = address(p.parent_group);
        if constexpr (kVersion >= 7) record.user_tag = p.user_tag;
        return record;
      },
      [&d] { return pair_of(d.p2p.func, d.p2p.peer); });
}

// Our own process id, refreshed after fork by never being used there (the child is inert).
extern int32_t own_pid;

template <typename Descr>
[[gnu::noinline]] void start_proxy_op(void* context, void** handle, const Descr& d) {
  const auto& op = d.proxy_op;
  // PXN: the operation belongs to another process, and so do its context and parent. They are
  // recorded as they are; with the pid beside them a reader finds the originator.
  const uint32_t comm = op.pid == own_pid ? comm_of_context(context) : kUnknownComm;
  record_start<ProxyOpRecord>(comm, d.parent, handle, [&](ThreadLog&) {
    ProxyOpRecord record;
    record.event_rank = d.rank;
    record.pid = static_cast<uint32_t>(op.pid);
    record.peer = op.peer;
    record.channel = op.channel_id;
    record.is_send = op.is_send != 0;
    record.steps = static_cast<uint32_t>(op.steps);
    record.chunk_size = static_cast<uint32_t>(op.chunk_size);
    return record;
  });
}

template <typename Descr>
[[gnu::noinline]] void start_proxy_step(void* context, void** handle, const Descr& d) {
  record_start<ProxyStepRecord>(comm_of_child(context, d.parent), d.parent, handle,
                                [&d](ThreadLog&) {
                                  ProxyStepRecord record;
                                  record.event_rank = d.rank;
                                  record.step = d.proxy_step.step;
                                  return record;
                                });
}

// Kinds whose descriptor adds nothing to parent and rank.
template <typename Record, typename Descr>
[[gnu::noinline]] void start_plain(void* context, void** handle, const Descr& d) {
  record_start<Record>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    Record record;
    record.event_rank = d.rank;
    return record;
  });
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_kernel_ch(void* context, void** handle, const Descr& d) {
  record_start<KernelChRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    KernelChRecord record;
    record.event_rank = d.rank;
    record.channel = d.kernel_ch.channel_id;
    if constexpr (kVersion >= 4) record.p_timer = d.kernel_ch.p_timer;
    return record;
  });
}

// The data is on the net plugin's stack or in its request: read it now, and only for ids whose
// layout is known.
inline NetPluginRecord net_plugin_record(int64_t id, const void* data) {
  NetPluginRecord record;
  record.net_id = static_cast<uint64_t>(id);
  if (data == nullptr) return record;
  if (id == abi::net::kIbV1) {
    const auto& qp = static_cast<const abi::net::IbDescrV1*>(data)->qp;
    record.device = qp.device;
    record.opcode = qp.opcode;
    record.wr_id = qp.wr_id;
    record.length = qp.length;
    record.qp_num = static_cast<uint32_t>(qp.qp_number);
  } else if (id == abi::net::kSocketV1) {
    const auto& sock = static_cast<const abi::net::SocketDescrV1*>(data)->sock;
    record.device = sock.fd;
    record.opcode = sock.op;
    record.length = sock.length;
  }
  return record;
}

template <typename Descr>
[[gnu::noinline]] void start_net_plugin(void* context, void** handle, const Descr& d) {
  record_start<NetPluginRecord>(
      comm_of_child(context, d.parent), d.parent, handle, [&d](ThreadLog&) {
        NetPluginRecord record = net_plugin_record(d.net_plugin.id, d.net_plugin.data);
        record.event_rank = d.rank;
        return record;
      });
}

template <typename Descr>
[[gnu::noinline]] void start_group_api(void* context, void** handle, const Descr& d) {
  record_start<GroupApiRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    GroupApiRecord record;
    record.event_rank = d.rank;
    record.depth = static_cast<uint16_t>(d.group_api.group_depth);
    record.graph_captured = d.group_api.graph_captured;
    return record;
  });
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_coll_api(void* context, void** handle, const Descr& d) {
  record_start<CollApiRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog& log) {
    const auto& c = d.coll_api;
    CollApiRecord record;
    record.func = intern(log, c.func);
    record.datatype = intern(log, c.datatype);
    record.event_rank = d.rank;
    record.graph_captured = c.graph_captured;
    record.count = c.count;
    record.root = c.root;
    record.stream = address(c.stream);
    if constexpr (kVersion >= 7) record.user_tag = c.user_tag;
    return record;
  });
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_p2p_api(void* context, void** handle, const Descr& d) {
  record_start<P2pApiRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog& log) {
    const auto& p = d.p2p_api;
    P2pApiRecord record;
    record.func = intern(log, p.func);
    record.datatype = intern(log, p.datatype);
    record.event_rank = d.rank;
    record.graph_captured = p.graph_captured;
    record.count = p.count;
    record.stream = address(p.stream);
    if constexpr (kVersion >= 7) record.user_tag = p.user_tag;
    return record;
  });
}

template <typename Descr>
[[gnu::noinline]] void start_kernel_launch(void* context, void** handle, const Descr& d) {
  record_start<KernelLaunchRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    KernelLaunchRecord record;
    record.event_rank = d.rank;
    record.stream = address(d.kernel_launch.stream);
    return record;
  });
}

template <int kVersion, typename Descr>
[[gnu::noinline]] void start_ce_coll(void* context, void** handle, const Descr& d) {
  record_start<CeCollRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog& log) {
    const auto& c = d.ce_coll;
    CeCollRecord record;
    record.func = intern(log, c.func);
    record.datatype = intern(log, c.datatype);
    record.sync_strategy = intern(log, c.sync_strategy);
    record.event_rank = d.rank;
    record.intra_batch_sync = c.intra_batch_sync;
    record.seq_number = c.seq_number;
    record.count = c.count;
    record.send_buff = address(c.send_buff);
    record.recv_buff = address(c.recv_buff);
    record.root = c.root;
    record.batch_size = c.batch_size;
    record.num_batches = c.batches;
    record.ce_seq_num = c.ce_seq;
    record.stream = address(c.stream);
    if constexpr (kVersion >= 7) record.user_tag = c.user_tag;
    return record;
  });
}

template <typename Descr>
[[gnu::noinline]] void start_ce_sync(void* context, void** handle, const Descr& d) {
  record_start<CeSyncRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    CeSyncRecord record;
    record.event_rank = d.rank;
    record.is_complete = d.ce_sync.is_complete;
    record.ranks = static_cast<uint32_t>(d.ce_sync.ranks);
    return record;
  });
}

template <typename Descr>
[[gnu::noinline]] void start_ce_batch(void* context, void** handle, const Descr& d) {
  record_start<CeBatchRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog&) {
    CeBatchRecord record;
    record.event_rank = d.rank;
    record.num_ops = static_cast<uint32_t>(d.ce_batch.ops);
    record.use_intra_sync = d.ce_batch.use_intra_sync;
    record.total_bytes = d.ce_batch.total_bytes;
    return record;
  });
}

template <typename Descr>
[[gnu::noinline]] void start_kernel_phase(void* context, void** handle, const Descr& d) {
  record_start<KernelPhaseRecord>(comm_of_context(context), d.parent, handle, [&d](ThreadLog& log) {
    const auto& p = d.kernel_phase;
    KernelPhaseRecord record;
    record.name = intern(log, p.phase_name);
    record.event_rank = d.rank;
    record.channel = p.channel_id;
    record.phase = p.phase_id;
    record.p_timer = p.p_timer;
    return record;
  });
}

}  // namespace lockstep::plugin
