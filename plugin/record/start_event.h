// From an event descriptor of any ABI version to a record. The versions share member names
// (nccl_profiler_descr.h), so one template per kind serves all that have it; what a version lacks
// is left 0. The record's words: record_shape.h.
#pragma once

#include <unistd.h>

#include <cstring>

#include "lockstep/nccl_net_descr.h"
#include "lockstep/nccl_profiler_abi.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {

constexpr uint64_t low32(int64_t value) { return static_cast<uint32_t>(value); }
constexpr uint64_t high32(int64_t value) { return uint64_t{static_cast<uint32_t>(value)} << 32; }
inline uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// A step and a network event carry their operation's context, which under PXN belongs to another
// process and says so nowhere; the parent is our own handle and knows better.
inline uint32_t comm_of_child(const void* context, const void* parent) {
  return parent != nullptr ? comm_of(to_id(parent)) : comm_of_context(context);
}

template <int kVersion, typename Descr>
void start_coll(void* context, void** handle, const Descr& d) {
  record_start<Kind::Coll>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog& log, uint64_t* w) {
        const auto& c = d.coll;
        w[0] = low32(d.rank) | uint64_t{c.channels} << 32 | uint64_t{c.warps} << 40;
        w[1] = 0;
        w[2] = c.seq_number;
        w[3] = c.count;
        w[4] = address(c.send_buff);
        w[5] = address(c.recv_buff);
        w[6] = uint64_t{intern(log, c.func)} | uint64_t{intern(log, c.datatype)} << 16 |
               uint64_t{intern(log, c.algo)} << 32 | uint64_t{intern(log, c.proto)} << 48;
        w[7] = low32(c.root);
        w[8] = w[9] = w[10] = 0;
        if constexpr (kVersion >= 5) w[1] = address(c.parent_group);
        if constexpr (kVersion >= 7) {
          w[0] |= uint64_t{c.is_sym_coll} << 48;
          w[7] |= uint64_t{intern(log, c.kernel_variant)} << 32;
          w[8] = c.user_tag;
        }
      });
}

template <int kVersion, typename Descr>
void start_p2p(void* context, void** handle, const Descr& d) {
  record_start<Kind::P2p>(comm_of_context(context), d.parent, handle,
                          [&d](ThreadLog& log, uint64_t* w) {
                            const auto& p = d.p2p;
                            // NCCL 2.30 leaves the channel count of a v4 descriptor unwritten:
                            // better none than garbage.
                            w[0] = low32(d.rank) | (kVersion >= 5 ? uint64_t{p.channels} << 32 : 0);
                            w[1] = 0;
                            w[2] = p.count;
                            w[3] = address(p.buff);
                            w[4] = uint64_t{intern(log, p.func)} |
                                   uint64_t{intern(log, p.datatype)} << 16 | high32(p.peer);
                            w[5] = 0;
                            if constexpr (kVersion >= 5) w[1] = address(p.parent_group);
                            if constexpr (kVersion >= 7) w[5] = p.user_tag;
                          });
}

// Our own process id, refreshed after fork by never being used there (the child is inert).
extern int32_t own_pid;

template <typename Descr>
void start_proxy_op(void* context, void** handle, const Descr& d) {
  const auto& op = d.proxy_op;
  // PXN: the operation belongs to another process, and so do its context and parent. They are
  // recorded as they are; with the pid beside them a reader finds the originator.
  const uint32_t comm = op.pid == own_pid ? comm_of_context(context) : kUnknownComm;
  record_start<Kind::ProxyOp>(comm, d.parent, handle, [&](ThreadLog&, uint64_t* w) {
    w[0] = low32(d.rank) | high32(op.pid);
    w[1] = low32(op.peer) | uint64_t{op.channel_id} << 32 | uint64_t{op.is_send != 0} << 40;
    w[2] = low32(op.steps) | high32(op.chunk_size);
  });
}

template <typename Descr>
void start_proxy_step(void* context, void** handle, const Descr& d) {
  record_start<Kind::ProxyStep>(
      comm_of_child(context, d.parent), d.parent, handle,
      [&d](ThreadLog&, uint64_t* w) { w[0] = low32(d.rank) | high32(d.proxy_step.step); });
}

// Kinds whose descriptor adds nothing to parent and rank.
template <Kind kKind, typename Descr>
void start_plain(void* context, void** handle, const Descr& d) {
  record_start<kKind>(comm_of_context(context), d.parent, handle,
                      [&d](ThreadLog&, uint64_t* w) { w[0] = low32(d.rank); });
}

template <int kVersion, typename Descr>
void start_kernel_ch(void* context, void** handle, const Descr& d) {
  record_start<Kind::KernelCh>(comm_of_context(context), d.parent, handle,
                               [&d](ThreadLog&, uint64_t* w) {
                                 w[0] = low32(d.rank) | uint64_t{d.kernel_ch.channel_id} << 32;
                                 w[1] = 0;
                                 if constexpr (kVersion >= 4) w[1] = d.kernel_ch.p_timer;
                               });
}

// The data is on the net plugin's stack or in its request: read it now, and only for ids whose
// layout is known.
inline void fill_net_plugin(int64_t id, const void* data, uint64_t* w) {
  w[1] = static_cast<uint64_t>(id);
  w[2] = w[3] = w[4] = w[5] = 0;
  if (data == nullptr) return;
  if (id == abi::net::kIbV1) {
    const auto& qp = static_cast<const abi::net::IbDescrV1*>(data)->qp;
    w[2] = low32(qp.device) | high32(qp.opcode);
    w[3] = qp.wr_id;
    w[4] = qp.length;
    w[5] = low32(qp.qp_number);
  } else if (id == abi::net::kSocketV1) {
    const auto& sock = static_cast<const abi::net::SocketDescrV1*>(data)->sock;
    w[2] = low32(sock.fd) | high32(sock.op);
    w[4] = sock.length;
  }
}

template <typename Descr>
void start_net_plugin(void* context, void** handle, const Descr& d) {
  record_start<Kind::NetPlugin>(comm_of_child(context, d.parent), d.parent, handle,
                                [&d](ThreadLog&, uint64_t* w) {
                                  w[0] = low32(d.rank);
                                  fill_net_plugin(d.net_plugin.id, d.net_plugin.data, w);
                                });
}

template <typename Descr>
void start_group_api(void* context, void** handle, const Descr& d) {
  record_start<Kind::GroupApi>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog&, uint64_t* w) {
        w[0] = low32(d.rank) | uint64_t{static_cast<uint16_t>(d.group_api.group_depth)} << 32 |
               uint64_t{d.group_api.graph_captured} << 48;
      });
}

template <int kVersion, typename Descr>
void start_coll_api(void* context, void** handle, const Descr& d) {
  record_start<Kind::CollApi>(comm_of_context(context), d.parent, handle,
                              [&d](ThreadLog& log, uint64_t* w) {
                                const auto& c = d.coll_api;
                                w[0] = low32(d.rank) | uint64_t{c.graph_captured} << 32;
                                w[1] = c.count;
                                w[2] = uint64_t{intern(log, c.func)} |
                                       uint64_t{intern(log, c.datatype)} << 16 | high32(c.root);
                                w[3] = address(c.stream);
                                w[4] = 0;
                                if constexpr (kVersion >= 7) w[4] = c.user_tag;
                              });
}

template <int kVersion, typename Descr>
void start_p2p_api(void* context, void** handle, const Descr& d) {
  record_start<Kind::P2pApi>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog& log, uint64_t* w) {
        const auto& p = d.p2p_api;
        w[0] = low32(d.rank) | uint64_t{p.graph_captured} << 32;
        w[1] = p.count;
        w[2] = uint64_t{intern(log, p.func)} | uint64_t{intern(log, p.datatype)} << 16;
        w[3] = address(p.stream);
        w[4] = 0;
        if constexpr (kVersion >= 7) w[4] = p.user_tag;
      });
}

template <typename Descr>
void start_kernel_launch(void* context, void** handle, const Descr& d) {
  record_start<Kind::KernelLaunch>(comm_of_context(context), d.parent, handle,
                                   [&d](ThreadLog&, uint64_t* w) {
                                     w[0] = low32(d.rank);
                                     w[1] = address(d.kernel_launch.stream);
                                   });
}

template <int kVersion, typename Descr>
void start_ce_coll(void* context, void** handle, const Descr& d) {
  record_start<Kind::CeColl>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog& log, uint64_t* w) {
        const auto& c = d.ce_coll;
        w[0] = low32(d.rank) | uint64_t{c.intra_batch_sync} << 32;
        w[1] = c.seq_number;
        w[2] = c.count;
        w[3] = address(c.send_buff);
        w[4] = address(c.recv_buff);
        w[5] = uint64_t{intern(log, c.func)} | uint64_t{intern(log, c.datatype)} << 16 |
               uint64_t{intern(log, c.sync_strategy)} << 32;
        w[6] = low32(c.root) | uint64_t{c.batch_size} << 32;
        w[7] = uint64_t{c.batches} | uint64_t{c.ce_seq} << 32;
        w[8] = address(c.stream);
        w[9] = 0;
        if constexpr (kVersion >= 7) w[9] = c.user_tag;
      });
}

template <typename Descr>
void start_ce_sync(void* context, void** handle, const Descr& d) {
  record_start<Kind::CeSync>(comm_of_context(context), d.parent, handle,
                             [&d](ThreadLog&, uint64_t* w) {
                               w[0] = low32(d.rank);
                               w[1] = uint64_t{d.ce_sync.is_complete} | high32(d.ce_sync.ranks);
                             });
}

template <typename Descr>
void start_ce_batch(void* context, void** handle, const Descr& d) {
  record_start<Kind::CeBatch>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog&, uint64_t* w) {
        w[0] = low32(d.rank);
        w[1] = low32(d.ce_batch.ops) | uint64_t{d.ce_batch.use_intra_sync} << 32;
        w[2] = d.ce_batch.total_bytes;
      });
}

template <typename Descr>
void start_kernel_phase(void* context, void** handle, const Descr& d) {
  record_start<Kind::KernelPhase>(
      comm_of_context(context), d.parent, handle, [&d](ThreadLog& log, uint64_t* w) {
        const auto& p = d.kernel_phase;
        w[0] = low32(d.rank) | uint64_t{p.channel_id} << 32 | uint64_t{p.phase_id} << 40 |
               uint64_t{intern(log, p.phase_name)} << 48;
        w[1] = p.p_timer;
      });
}

}  // namespace lockstep::plugin
