// Descriptors of an older table from a newer one, as NCCL's own shims fill them, for chained
// plugins that have no newer table. Kinds the older table does not know
// never come here; what it knew and NCCL no longer says is 0.
#pragma once

#include <cstring>

#include "plugin/record/start_event_v1_v3.h"

namespace lockstep::plugin {

template <size_t kCount>
uint8_t number_of(const char* const (&names)[kCount], const char* name) {
  for (size_t i = 0; name != nullptr && i < kCount; ++i) {
    if (std::strcmp(names[i], name) == 0) return static_cast<uint8_t>(i);
  }
  return static_cast<uint8_t>(kCount);
}

template <typename Descr>
void fill_older(const Descr& d, Kind kind, abi::v4::EventDescr* out) {
  if (kind == Kind::Coll) {
    out->coll = {d.coll.seq_number, d.coll.func, d.coll.send_buff, d.coll.recv_buff,
                 d.coll.count,      d.coll.root, d.coll.datatype,  d.coll.channels,
                 d.coll.warps,      d.coll.algo, d.coll.proto};
  } else if (kind == Kind::P2p) {
    out->p2p = {d.p2p.func, d.p2p.buff, d.p2p.datatype, d.p2p.count, d.p2p.peer, d.p2p.channels};
  } else if (kind == Kind::KernelCh) {
    out->kernel_ch = d.kernel_ch;
  } else if (kind == Kind::NetPlugin) {
    out->net_plugin = d.net_plugin;
  }
}

template <typename Out, typename Descr>
void fill_named(const Descr& d, Kind kind, Out* out) {
  if (kind == Kind::Coll) {
    out->coll.seq_number = d.coll.seq_number;
    out->coll.func = d.coll.func;
    out->coll.send_buff = d.coll.send_buff;
    out->coll.recv_buff = d.coll.recv_buff;
    out->coll.count = d.coll.count;
    out->coll.root = d.coll.root;
    out->coll.datatype = d.coll.datatype;
    out->coll.max_channels = d.coll.channels;
    out->coll.warps = d.coll.warps;
    out->coll.algo = d.coll.algo;
    out->coll.proto = d.coll.proto;
  } else if (kind == Kind::P2p) {
    out->p2p = {nullptr, 0, d.p2p.func, d.p2p.buff, d.p2p.datatype, d.p2p.count, d.p2p.peer};
  }
}

template <typename Descr>
void fill_older(const Descr& d, Kind kind, abi::v3::EventDescr* out) {
  fill_named(d, kind, out);
  if (kind == Kind::KernelCh) {
    out->kernel_ch.channel_id = d.kernel_ch.channel_id;
  } else if (kind == Kind::NetPlugin) {
    out->net_plugin = {d.net_plugin.id, d.net_plugin.data};
  }
}

template <typename Descr>
void fill_older(const Descr& d, Kind kind, abi::v2::EventDescr* out) {
  fill_named(d, kind, out);
}

template <typename Descr>
void fill_older(const Descr& d, Kind kind, abi::v1::EventDescr* out) {
  if (kind == Kind::Coll) {
    out->coll = {};
    out->coll.seq_number = d.coll.seq_number;
    out->coll.func = number_of(kFuncNames, d.coll.func);
    out->coll.send_buff = d.coll.send_buff;
    out->coll.recv_buff = d.coll.recv_buff;
    out->coll.count = d.coll.count;
    out->coll.root = d.coll.root;
    out->coll.datatype = number_of(kDatatypeNames, d.coll.datatype);
    out->coll.max_channels = d.coll.channels;
    out->coll.warps = d.coll.warps;
    out->coll.algo = number_of(kAlgoNames, d.coll.algo);
    out->coll.proto = number_of(kProtoNames, d.coll.proto);
  } else if (kind == Kind::P2p) {
    out->p2p = {nullptr,
                0,
                number_of(kFuncNames, d.p2p.func),
                d.p2p.buff,
                number_of(kDatatypeNames, d.p2p.datatype),
                d.p2p.count,
                d.p2p.peer};
  }
}

// `parent`: tables before v5 know the legacy Group as parent of a Coll or P2p.
template <typename Out, typename Descr>
Out older_descr(const Descr& d, Kind kind, void* parent) {
  Out out;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  out.type = static_cast<uint8_t>(d.type);
  out.rank = d.rank;
  out.parent = parent;
  fill_older(d, kind, &out);
  if (kind == Kind::ProxyOp) {
    out.proxy_op = d.proxy_op;
  } else if (kind == Kind::ProxyStep) {
    out.proxy_step = d.proxy_step;
  }
  return out;
}

}  // namespace lockstep::plugin
