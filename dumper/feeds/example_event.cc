#include "dumper/feeds/example_event.h"

#include <cstdio>
#include <type_traits>

#include "base/json.h"
#include "lockstep/nccl_net_descr.h"

namespace lockstep::dumper {
namespace {

class Lines {
 public:
  Lines(const ExampleEvent& event, const ExampleEventContext& context)
      : event_(event), context_(context) {}

  template <typename Record>
  Record start() const {
    return Record::read(event_.words);
  }
  std::string text(unsigned number) const { return std::string(context_.strings->text(number)); }
  uint64_t start_ticks() const { return ticks_of(event_.words[0]); }
  // When the state came; `otherwise` when it did not.
  uint64_t ticks(unsigned state, uint64_t otherwise) const {
    for (const auto& s : event_.states) {
      if (s.number == state) return s.ticks;
    }
    return otherwise;
  }
  uint64_t argument(unsigned state) const {
    for (const auto& s : event_.states) {
      if (s.number == state && s.argument != kNoArgument) return s.argument;
    }
    return 0;
  }

  template <typename Arguments>
  void pair(const char* category, const std::string& name, uint64_t from, uint64_t to,
            Arguments arguments) {
    lines.push_back(line("b", category, name, from, [&](JsonWriter* writer) {
      put_key(writer, "args");
      writer->StartObject();
      arguments(writer);
      writer->EndObject();
    }));
    lines.push_back(line("e", category, name, to, [](JsonWriter*) {}));
  }

  std::vector<std::string> lines;

 private:
  template <typename More>
  std::string line(const char* phase, const char* category, const std::string& name, uint64_t ticks,
                   More more) const {
    json::StringBuffer text_buffer;
    JsonWriter writer(text_buffer);
    writer.SetMaxDecimalPlaces(3);
    writer.StartObject();
    put_text(&writer, "name", name);
    put_text(&writer, "cat", category);
    put_text(&writer, "ph", phase);
    put_uint(&writer, "id", serial_of(event_.id()));
    put_uint(&writer, "pid", context_.pid);
    put_uint(&writer, "tid", 1);
    put_key(&writer, "ts");
    writer.Double(static_cast<double>(
                      static_cast<int64_t>(context_.clock->raw_ns(ticks) - context_.zero_raw_ns)) /
                  1000);
    more(&writer);
    writer.EndObject();
    return text_buffer.GetString();
  }

  const ExampleEvent& event_;
  const ExampleEventContext& context_;
};

std::string pointer_text(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%lx", address);
  return text;
}

// The Example prints ranks and the like as unsigned numbers.
uint32_t as_unsigned(int32_t value) { return static_cast<uint32_t>(value); }

void proxy_op(Lines* l, uint64_t stop) {
  const auto op = l->start<ProxyOpRecord>();
  const uint64_t progress = l->ticks(kProxyOpInProgress, stop);
  const auto arguments = [&op](JsonWriter* w) {
    put_uint(w, "Channel", op.channel);
    put_uint(w, "Peer", as_unsigned(op.peer));
    put_uint(w, "Steps", op.steps);
    put_uint(w, "ChunkSize", op.chunk_size);
  };
  l->pair("PROXY", op.is_send ? "ScheduleSend" : "ScheduleRecv", l->start_ticks(), progress,
          arguments);
  l->pair("PROXY", op.is_send ? "ProgressSend" : "ProgressRecv", progress, stop, arguments);
}

void proxy_step(Lines* l, uint64_t stop) {
  struct Phase {
    unsigned state;
    const char* name;
  };
  constexpr Phase kSend[] = {
      {kSendGpuWait, "SendGpuWait"}, {kSendPeerWait, "SendPeerWait"}, {kSendWait, "SendWait"}};
  constexpr Phase kRecv[] = {
      {kRecvWait, "RecvWait"}, {kRecvFlushWait, "RecvFlushWait"}, {kRecvGpuWait, "RecvGpuWait"}};
  const auto& phases = l->ticks(kSendGpuWait, 0) != 0 ? kSend : kRecv;
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t from = l->ticks(phases[i].state, 0);
    if (from == 0) continue;
    uint64_t to = stop;
    for (unsigned next = 2; next > i; --next) to = l->ticks(phases[next].state, to);
    l->pair("NET", phases[i].name, from, to, [l](JsonWriter* w) {
      put_uint(w, "Step", as_unsigned(l->start<ProxyStepRecord>().step));
      put_uint(w, "transSize", l->argument(kSendWait) + l->argument(kRecvFlushWait));
    });
  }
}

void proxy_ctrl(Lines* l, uint64_t stop) {
  const bool append = l->ticks(kCtrlAppend, 0) != 0, sleep = l->ticks(kCtrlSleep, 0) != 0;
  if (!append && !sleep && l->ticks(kCtrlIdle, 0) == 0) return;
  l->pair("PROXY",
          append  ? "Append"
          : sleep ? "Sleep"
                  : "Idle",
          l->start_ticks(), stop, [l, append](JsonWriter* w) {
            if (append) put_uint(w, "appended", l->argument(kCtrlAppendEnd));
          });
}

void coll(Lines* l, uint64_t stop, uint64_t comm_hash) {
  const auto coll = l->start<CollRecord>();
  l->pair("COLL", l->text(coll.func), l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "SeqNum", coll.seq_number);
    put_uint(w, "CommHash", comm_hash);
    put_uint(w, "Rank", as_unsigned(coll.event_rank));
    put_uint(w, "Count", coll.count);
    put_text(w, "Datatype", l->text(coll.datatype));
    put_text(w, "Algorithm", l->text(coll.algo));
    put_text(w, "Protocol", l->text(coll.proto));
    put_uint(w, "nChannels", coll.channels);
  });
}

void p2p(Lines* l, uint64_t stop, uint64_t comm_hash) {
  const auto p2p = l->start<P2pRecord>();
  l->pair("P2P", l->text(p2p.func), l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "CommHash", comm_hash);
    put_uint(w, "Rank", as_unsigned(p2p.event_rank));
    put_uint(w, "Peer", as_unsigned(p2p.peer));
    put_uint(w, "Count", p2p.count);
    put_text(w, "Datatype", l->text(p2p.datatype));
    put_uint(w, "nChannels", p2p.channels);
  });
}

template <typename Record>
void api_call(Lines* l, uint64_t stop, const char* category) {
  const auto call = l->start<Record>();
  l->pair(category, l->text(call.func), l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "count", call.count);
    put_text(w, "datatype", l->text(call.datatype));
    if constexpr (std::is_same_v<Record, CollApiRecord>)
      put_uint(w, "root", as_unsigned(call.root));
    put_uint(w, "GraphCaptured", call.graph_captured);
    put_text(w, "Stream", pointer_text(call.stream));
  });
}

// Other network plugins have ids of their own; what their data mean only they know.
void net_event(Lines* l, uint64_t stop) {
  const auto net = l->start<NetPluginRecord>();
  const auto id = static_cast<int64_t>(net.net_id);
  const uint64_t start = l->start_ticks();
  if (id == abi::net::kSocketV1) {
    l->pair("NET_SOCK", "Sock", start, stop, [&](JsonWriter* w) {
      put_uint(w, "sock", as_unsigned(net.device));
      put_uint(w, "op", as_unsigned(net.opcode));
      put_uint(w, "size", net.length);
    });
  } else if (id == abi::net::kIbV1) {
    l->pair("NET_IB", "Qp", start, stop, [&](JsonWriter* w) {
      put_uint(w, "device", as_unsigned(net.device));
      put_uint(w, "opcode", as_unsigned(net.opcode));
      put_uint(w, "wr_id", net.wr_id);
      put_uint(w, "size", net.length);
      put_uint(w, "qp_num", net.qp_num);
    });
  } else {
    l->pair("NET", "Net", start, stop, [&](JsonWriter* w) { put_uint(w, "id", net.net_id); });
  }
}

void ce_coll(Lines* l, uint64_t stop) {
  const auto coll = l->start<CeCollRecord>();
  l->pair("CE_COLL", l->text(coll.func), l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "count", coll.count);
    put_text(w, "datatype", l->text(coll.datatype));
    put_text(w, "strategy", l->text(coll.sync_strategy));
  });
}

void ce_sync(Lines* l, uint64_t stop) {
  const auto sync = l->start<CeSyncRecord>();
  l->pair("CE_SYNC", "CeSync", l->start_ticks(), stop, [&](JsonWriter* w) {
    put_text(w, "type", sync.is_complete ? "Complete" : "Ready");
    put_uint(w, "nRanks", sync.ranks);
  });
}

void ce_batch(Lines* l, uint64_t stop) {
  const auto batch = l->start<CeBatchRecord>();
  l->pair("CE_BATCH", "CeBatch", l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "numOps", batch.num_ops);
    put_uint(w, "totalBytes", batch.total_bytes);
  });
}

void group_api(Lines* l, uint64_t stop) {
  const auto group = l->start<GroupApiRecord>();
  l->pair("GROUP_API", "Group API", l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "groupApiId", group.id);
    put_uint(w, "groupDepth", group.depth);
  });
}

void kernel_launch(Lines* l, uint64_t stop) {
  const auto launch = l->start<KernelLaunchRecord>();
  l->pair("KERNEL_LAUNCH", "KernelLaunch", l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "groupId", launch.parent);
    put_text(w, "Stream", pointer_text(launch.stream));
  });
}

void kernel_ch(Lines* l, uint64_t stop) {
  const auto kernel = l->start<KernelChRecord>();
  l->pair("GPU", "KernelCh", l->start_ticks(), stop, [&](JsonWriter* w) {
    put_uint(w, "Channel", kernel.channel);
    put_uint(w, "StartGpuClk", kernel.p_timer);
    put_uint(w, "StopGpuClk", l->argument(kKernelChStop));
  });
}

void kernel_phase(Lines* l, uint64_t stop) {
  const auto phase = l->start<KernelPhaseRecord>();
  l->pair("GPU", l->text(phase.name), l->start_ticks(), stop,
          [&](JsonWriter* w) { put_uint(w, "Channel", phase.channel); });
}

void add_lines(const ExampleEvent& event, uint64_t comm_hash, Lines* l) {
  const uint64_t stop = event.stop_ticks;
  switch (event.kind()) {
    case Kind::GroupApi:
      return group_api(l, stop);
    case Kind::CollApi:
      return api_call<CollApiRecord>(l, stop, "COLL_API");
    case Kind::P2pApi:
      return api_call<P2pApiRecord>(l, stop, "P2P_API");
    case Kind::KernelLaunch:
      return kernel_launch(l, stop);
    case Kind::Group:
      return l->pair("GROUP", "Group", l->start_ticks(), stop,
                     [&](JsonWriter* w) { put_uint(w, "groupId", event.id()); });
    case Kind::Coll:
      return coll(l, stop, comm_hash);
    case Kind::P2p:
      return p2p(l, stop, comm_hash);
    case Kind::ProxyOp:
      return proxy_op(l, stop);
    case Kind::ProxyStep:
      return proxy_step(l, stop);
    case Kind::ProxyCtrl:
      return proxy_ctrl(l, stop);
    case Kind::KernelCh:
      return kernel_ch(l, stop);
    case Kind::NetPlugin:
      return net_event(l, stop);
    case Kind::CeColl:
      return ce_coll(l, stop);
    case Kind::CeSync:
      return ce_sync(l, stop);
    case Kind::CeBatch:
      return ce_batch(l, stop);
    case Kind::KernelPhase:
      return kernel_phase(l, stop);
  }
}

}  // namespace

std::vector<std::string> example_lines(const ExampleEvent& event,
                                       const ExampleEventContext& context) {
  Lines lines(event, context);
  add_lines(event, context.comm_hash, &lines);
  return lines.lines;
}

}  // namespace lockstep::dumper
